"""Vectors, projections and communities of a small set of texts, by scikit-learn and leidenalg.

Prints JSON: the texts, the cosines of their tf-idf vectors, the singular values of the matrix of
vectors, the neighbour graph, and the modularity that leidenalg reaches on it.
"""

import json
import random
import re

import igraph
import leidenalg
import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score

NEIGHBOURS = 5
RESOLUTION = 0.3
TOPICS = [
    "gothic cathedral church nave tower stone bishop altar choir",
    "silver coin mint emperor denarius hoard legend portrait reverse",
    "river valley mountain lake source glacier bridge ferry harbour",
    "painter portrait canvas museum oil sketch gallery fresco drawing",
]


def texts():
    rng = random.Random(7)
    found = []
    for topic in TOPICS:
        words = topic.split()
        for _ in range(15):
            found.append(" ".join(rng.choice(words) for _ in range(8)))
    return found


def main():
    documents = texts()
    vectoriser = TfidfVectorizer(
        tokenizer=lambda text: re.findall("[a-z0-9]+", text), token_pattern=None, ngram_range=(1, 2), sublinear_tf=True, min_df=2
    )
    vectors = vectoriser.fit_transform(documents)
    cosines = (vectors @ vectors.T).toarray()
    edges = {}
    for row in range(len(documents)):
        others = [other for other in range(len(documents)) if other != row and cosines[row, other] > 0]
        others.sort(key=lambda other: (-cosines[row, other], other))
        for other in others[:NEIGHBOURS]:
            edges[(min(row, other), max(row, other))] = float(cosines[row, other])
    graph = igraph.Graph(n=len(documents), edges=list(edges))
    quality = max(
        leidenalg.find_partition(
            graph,
            leidenalg.RBConfigurationVertexPartition,
            weights=list(edges.values()),
            resolution_parameter=RESOLUTION,
            seed=seed,
            n_iterations=-1,
        ).quality()
        for seed in range(10)
    )
    svd = TruncatedSVD(n_components=8, n_iter=20, random_state=0).fit(vectors)
    partition = [0, 0, 1, 1, 2, 2, 2]
    other = [0, 0, 0, 1, 1, 2, 2]
    print(
        json.dumps(
            {
                "texts": documents,
                "cosines": [[round(float(value), 6) for value in row] for row in cosines],
                "singular_values": [round(float(value), 6) for value in svd.singular_values_],
                "edges": [[a, b, weight] for (a, b), weight in sorted(edges.items())],
                "resolution": RESOLUTION,
                "quality": quality,
                "rand_index": [partition, other, adjusted_rand_score(partition, other)],
            }
        )
    )


if __name__ == "__main__":
    np.random.seed(0)
    main()
