#!/usr/bin/env python3
"""A straightforward FTRL-proximal in numpy, and what it makes of real streams.

McMahan et al., "Ad click prediction" (KDD 2013), Algorithm 1, as ALGORITHMS.md §1
writes it, with all arithmetic in 32 bits, on hard URIs of the mini web as LDCOC
sees them (+t). Writes streams of examples with the predictions, and the states in
the end, for the test `it_is_what_a_plain_reference_says` in select/ftrl_tests.rs.
Of the URIs only hashed features and labels are written.

    python3 eval/reference/ftrl.py ../shared/data/miniweb/manifest.tsv.gz \
        > crates/lodeward/src/select/testdata/ftrl.txt
"""

import gzip
import random
import sys
from urllib.parse import urlsplit

import numpy as np

BITS = 12
SEED = 0x10DE44A2
EXAMPLES = 600
# alpha, beta, lambda 1, lambda 2
RATES = [(0.5, 1.0, 0.1, 0.1), (0.1, 0.5, 1.0, 0.0)]
F = np.float32


def murmur3(data, seed):
    """MurmurHash3 x86_32."""
    mask = 0xFFFFFFFF

    def rotate(value, bits):
        return (value << bits | value >> (32 - bits)) & mask

    def scramble(block):
        return rotate(block * 0xCC9E2D51 & mask, 15) * 0x1B873593 & mask

    value, whole = seed, len(data) // 4 * 4
    for begin in range(0, whole, 4):
        value ^= scramble(int.from_bytes(data[begin : begin + 4], "little"))
        value = rotate(value, 13) * 5 + 0xE6546B64 & mask
    if data[whole:]:
        value ^= scramble(int.from_bytes(data[whole:], "little"))
    value ^= len(data)
    value = (value ^ value >> 16) * 0x85EBCA6B & mask
    value = (value ^ value >> 13) * 0xC2B2AE35 & mask
    return value ^ value >> 16


def features(url, media_type):
    """The features +t of a URI, as numbers."""
    parts = urlsplit(url)
    words = {
        "t.scheme": parts.scheme,
        "t.authority": parts.netloc,
        "t.host": parts.hostname or "",
        "t.path": parts.path,
        "t.query": parts.query,
        "t.type": media_type.split(";")[0].strip().lower(),
    }
    texts = [f"{field}={value}" for field, value in words.items() if value]
    return sorted({murmur3(text.encode(), SEED) & (1 << BITS) - 1 for text in texts})


class Ftrl:
    def __init__(self, rates):
        self.alpha, self.beta, self.l1, self.l2 = (F(rate) for rate in rates)
        self.z = np.zeros(1 << BITS, F)
        self.n = np.zeros(1 << BITS, F)

    def weights(self, indices):
        z, n = self.z[indices], self.n[indices]
        weights = -(z - np.sign(z) * self.l1) / ((self.beta + np.sqrt(n)) / self.alpha + self.l2)
        return np.where(np.abs(z) <= self.l1, F(0), weights).astype(F)

    def predict(self, indices):
        return F(1) / (F(1) + np.exp(-self.weights(indices).sum(dtype=F)))

    def learn(self, indices, predicted, label, weight):
        g = F(weight) * (predicted - F(label))
        w, n = self.weights(indices), self.n[indices]
        sigma = (np.sqrt(n + g * g) - np.sqrt(n)) / self.alpha
        self.z[indices] += g - sigma * w
        self.n[indices] += g * g


def hard_uris(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        names = next(lines).rstrip("\n").split("\t")
        for line in lines:
            row = dict(zip(names, line.rstrip("\n").split("\t")))
            if row["status"] == "200" and row["hard"] == "1":
                yield features(row["url"], row["content_type"]), int(row["label"] == "rdf")


def main():
    examples = list(hard_uris(sys.argv[1]))
    random.Random(5).shuffle(examples)
    print("# made by eval/reference/ftrl.py: rates; example label weight predicted features…; state number z n")
    for stream, rates in enumerate(RATES):
        model = Ftrl(rates)
        print("rates", BITS, *rates)
        for indices, label in examples[stream * EXAMPLES : (stream + 1) * EXAMPLES]:
            predicted = model.predict(indices)
            # As LDCOC weighs what it explores.
            weight = F(1) if predicted > F(0.5) else F(1) / F(0.17)
            print("example", label, f"{weight:.9g}", f"{predicted:.9g}", *indices)
            model.learn(indices, predicted, label, weight)
        for index in np.flatnonzero(model.n):
            print("state", index, f"{model.z[index]:.9g}", f"{model.n[index]:.9g}")


if __name__ == "__main__":
    main()
