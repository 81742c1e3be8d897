"""A client of the focused crawler, written only from DURAARK D3.6.

It uses what the deliverable defines: HTTP authentication with a user name and a password
(section 1.4), HTTP GET (1.4.2), the names of the ten methods and of their parameters
(section 4 and its table 3), and their results. The deliverable leaves open that seeds are
separated by semicolons, and that responses are JSON.

    duraark_client.py SERVICE USER PASSWORD SEED OTHER_SEED
"""

import base64
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


class RequestFailed(Exception):
    """The service returned an error."""


class Crawler:
    """The ten methods."""

    def __init__(self, service, user, password):
        self.service = service
        credentials = base64.b64encode(f"{user}:{password}".encode()).decode()
        self.fields = {"Authorization": f"Basic {credentials}", "Accept": "application/json"}

    def call(self, method, **parameters):
        query = urllib.parse.urlencode(parameters)
        url = f"{self.service}/CrawlAPI/{method}" + (f"?{query}" if query else "")
        request = urllib.request.Request(url, headers=self.fields)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise RequestFailed(f"{method}: {error.code} {error.read().decode()}") from error

    def crawl(self, seeds, user, depth):
        return self.call("crawl", seeds=";".join(seeds), user=user, depth=depth)["crawl_id"]

    def filter_crawl_candidates(self, crawl_id, crawl_filter):
        return self.call("filterCrawlCandidates", crawl_id=crawl_id, crawl_filter=crawl_filter)

    def export_to_sda(self, crawl_id):
        return self.call("exportToSDA", crawl_id=crawl_id)

    def delete_crawl(self, crawl_id):
        return self.call("deleteCrawl", crawl_id=crawl_id)

    def load_crawl(self, crawl_id):
        return self.call("loadCrawl", crawl_id=crawl_id)

    def load_all_crawls(self):
        return self.call("loadAllCrawls")

    def load_all_registered_crawls(self):
        return self.call("loadAllRegisteredCrawls")

    def load_finished_crawls(self):
        return self.call("loadFinishedCrawls")

    def load_crawls_by_user(self, user):
        return self.call("loadCrawlsByUser", user=user)

    def load_crawls_by_seed(self, seed):
        return self.call("loadCrawlsBySeed", seeds=seed)


def ids(crawls):
    return {crawl["crawl_id"] for crawl in crawls}


def wait_for_end(crawler, crawl_id):
    for _ in range(600):
        # In this order, because the crawl may end in between.
        running = crawler.load_all_crawls()
        finished = crawler.load_finished_crawls()
        assert crawl_id in ids(running) | ids(finished), "a crawl is running or finished"
        if crawl_id in ids(finished):
            return
        time.sleep(0.1)
    raise AssertionError(f"timeout: crawl {crawl_id} does not end")


def main(service, user, password, seed, other_seed):
    crawler = Crawler(service, user, password)
    before = ids(crawler.load_all_registered_crawls())

    crawl_id = crawler.crawl([seed, other_seed], user="jane", depth=2)
    assert crawl_id not in before, "a new crawl has a new ID"
    wait_for_end(crawler, crawl_id)
    assert crawl_id not in ids(crawler.load_all_crawls()), "a finished crawl is not running"

    registered = {crawl["crawl_id"]: crawl for crawl in crawler.load_all_registered_crawls()}
    metadata = registered[crawl_id]
    assert metadata["user"] == "jane" and metadata["depth"] == 2, metadata
    assert set(metadata["seeds"]) == {seed, other_seed}, metadata
    assert metadata["state"] == "finished", metadata
    assert crawl_id in ids(crawler.load_crawls_by_user("jane"))
    assert crawl_id not in ids(crawler.load_crawls_by_user("another user"))
    assert crawl_id in ids(crawler.load_crawls_by_seed(seed))
    assert crawl_id in ids(crawler.load_crawls_by_seed(other_seed))
    assert crawl_id not in ids(crawler.load_crawls_by_seed("http://unknown.example/"))

    candidates = crawler.load_crawl(crawl_id)
    assert len(candidates) > 2, candidates
    scores = [candidate["score"] for candidate in candidates]
    assert scores == sorted(scores, reverse=True), "candidates are sorted by score"

    worst = candidates[-1]["entity"]
    crawler.filter_crawl_candidates(crawl_id, f"entity = <{worst}>")
    left = [candidate["entity"] for candidate in crawler.load_crawl(crawl_id)]
    assert left == [candidate["entity"] for candidate in candidates[:-1]], "one candidate is filtered out"

    exported = crawler.export_to_sda(crawl_id)
    assert exported["graph"].endswith(f"crawl/{crawl_id}"), exported

    crawler.delete_crawl(crawl_id)
    assert ids(crawler.load_all_registered_crawls()) == before, "the crawl is deleted"
    try:
        crawler.load_crawl(crawl_id)
    except RequestFailed:
        pass
    else:
        raise AssertionError("a deleted crawl cannot be loaded")
    print(f"{len(candidates)} candidates; all ten methods work as published")


if __name__ == "__main__":
    main(*sys.argv[1:])
