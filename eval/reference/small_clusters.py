"""Clusters of a few texts by scikit-learn: the reference of a test.

Reads a JSON list of texts from standard input. Prints JSON: the cosines of their tf-idf vectors, and
the clusters by k-means, by X-means (splits by BIC), and by spectral clustering with both Laplacians.
"""

import json
import re
import sys

import numpy as np
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.feature_extraction.text import TfidfVectorizer

K_MIN, K_MAX, TRUE_K, DIMENSIONS = 2, 10, 4, 50


def k_means(points, k):
    return KMeans(n_clusters=k, n_init=20, random_state=0).fit(points)


def bic(points, labels, centres):
    """Pelleg and Moore, X-means, section 3.2."""
    count, dimensions, k = len(points), points.shape[1], len(centres)
    distortion = ((points - centres[labels]) ** 2).sum()
    variance = max(distortion / (dimensions * max(count - k, 1)), 1e-12)
    sizes = np.bincount(labels, minlength=k)
    entropy = sum(size * np.log(size / count) for size in sizes if size > 0)
    likelihood = entropy - count * dimensions / 2 * np.log(2 * np.pi * variance) - dimensions * (count - k) / 2
    return likelihood - (k - 1 + k * dimensions + 1) / 2 * np.log(count)


def x_means(points):
    clusters = k_means(points, K_MIN)
    while True:
        centres, labels = clusters.cluster_centers_, clusters.labels_
        found = []
        for cluster, centre in enumerate(centres):
            members = points[labels == cluster]
            is_allowed = len(found) + 1 + len(centres) - cluster <= K_MAX
            if is_allowed and len(members) > 3:
                halves = k_means(members, 2)
                whole = bic(members, np.zeros(len(members), dtype=int), np.array([centre]))
                if bic(members, halves.labels_, halves.cluster_centers_) > whole:
                    found.extend(halves.cluster_centers_)
                    continue
            found.append(centre)
        if len(found) == len(centres):
            return labels
        clusters = KMeans(n_clusters=len(found), init=np.array(found), n_init=1).fit(points)


def spectral(points):
    distances = np.linalg.norm(points[:, None] - points[None, :], axis=2)
    affinity = 1 / (1 + distances)
    np.fill_diagonal(affinity, 0)
    degrees = affinity.sum(axis=1)
    values = np.linalg.eigvalsh(np.diag(degrees) - affinity)
    gaps = {k: values[k] - values[k - 1] for k in range(K_MIN, K_MAX + 1)}
    scale = np.sqrt(np.outer(degrees, degrees))
    normalised_values = np.linalg.eigvalsh(np.eye(len(points)) - affinity / scale)
    normalised_gaps = {k: normalised_values[k] - normalised_values[k - 1] for k in range(K_MIN, K_MAX + 1)}
    model = SpectralClustering(n_clusters=TRUE_K, affinity="precomputed", random_state=0, n_init=20)
    return {
        "unnormalised_k": max(gaps, key=gaps.get),
        "normalised_k": max(normalised_gaps, key=normalised_gaps.get),
        "normalised": model.fit_predict(affinity + np.eye(len(points))).tolist(),
    }


def main():
    vectoriser = TfidfVectorizer(
        tokenizer=lambda text: re.findall("[a-z0-9]+", text), token_pattern=None, ngram_range=(1, 2), sublinear_tf=True, min_df=2
    )
    vectors = vectoriser.fit_transform(json.load(sys.stdin)).toarray()
    left, values, _ = np.linalg.svd(vectors, full_matrices=False)
    points = (left * values)[:, :DIMENSIONS]
    result = {
        "cosines": (vectors @ vectors.T).tolist(),
        "k_means": k_means(points, TRUE_K).labels_.tolist(),
        "x_means": np.asarray(x_means(points)).tolist(),
        **spectral(points),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
