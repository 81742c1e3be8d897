"""A client of the focused crawler, written only from DURAARK D3.6.

Everything that it knows of the service is in that deliverable: HTTP authentication
with a user name and a password (section 1.4), HTTP GET (1.4.2), the names of the ten
methods and of their parameters (section 4 and its table 3), and what each of them
gives. Seeds are separated by semicolons, and answers are JSON: that much the
deliverable leaves open.

    duraark_client.py SERVICE USER PASSWORD SEED OTHER_SEED
"""

import base64
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


class Refused(Exception):
    """The service said no."""


class Crawler:
    """The ten methods."""

    def __init__(self, service, user, password):
        self.service = service
        credentials = base64.b64encode(f"{user}:{password}".encode()).decode()
        self.fields = {"Authorization": f"Basic {credentials}", "Accept": "application/json"}

    def call(self, method, **parameters):
        query = urllib.parse.urlencode(parameters)
        address = f"{self.service}/CrawlAPI/{method}" + (f"?{query}" if query else "")
        request = urllib.request.Request(address, headers=self.fields)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise Refused(f"{method}: {error.code} {error.read().decode()}") from error

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
        # In this order: it may end in between.
        running = crawler.load_all_crawls()
        finished = crawler.load_finished_crawls()
        assert crawl_id in ids(running) | ids(finished), "a crawl runs, or has finished"
        if crawl_id in ids(finished):
            return
        time.sleep(0.1)
    raise AssertionError(f"the crawl {crawl_id} does not end")


def main(service, user, password, seed, other_seed):
    crawler = Crawler(service, user, password)
    before = ids(crawler.load_all_registered_crawls())

    crawl_id = crawler.crawl([seed, other_seed], user="jane", depth=2)
    assert crawl_id not in before, "it has a number of its own"
    wait_for_end(crawler, crawl_id)
    assert crawl_id not in ids(crawler.load_all_crawls()), "what has finished does not run"

    registered = {crawl["crawl_id"]: crawl for crawl in crawler.load_all_registered_crawls()}
    metadata = registered[crawl_id]
    assert metadata["user"] == "jane" and metadata["depth"] == 2, metadata
    assert set(metadata["seeds"]) == {seed, other_seed}, metadata
    assert metadata["state"] == "finished", metadata
    assert crawl_id in ids(crawler.load_crawls_by_user("jane"))
    assert crawl_id not in ids(crawler.load_crawls_by_user("somebody else"))
    assert crawl_id in ids(crawler.load_crawls_by_seed(seed))
    assert crawl_id in ids(crawler.load_crawls_by_seed(other_seed))
    assert crawl_id not in ids(crawler.load_crawls_by_seed("http://nobody.example/"))

    candidates = crawler.load_crawl(crawl_id)
    assert len(candidates) > 2, candidates
    scores = [candidate["score"] for candidate in candidates]
    assert scores == sorted(scores, reverse=True), "a ranked list"

    worst = candidates[-1]["entity"]
    crawler.filter_crawl_candidates(crawl_id, f"entity = <{worst}>")
    left = [candidate["entity"] for candidate in crawler.load_crawl(crawl_id)]
    assert left == [candidate["entity"] for candidate in candidates[:-1]], "one is filtered out"

    exported = crawler.export_to_sda(crawl_id)
    assert exported["graph"].endswith(f"crawl/{crawl_id}"), exported

    crawler.delete_crawl(crawl_id)
    assert ids(crawler.load_all_registered_crawls()) == before, "nothing is left of it"
    try:
        crawler.load_crawl(crawl_id)
    except Refused:
        pass
    else:
        raise AssertionError("what is deleted cannot be loaded")
    print(f"{len(candidates)} candidates; all ten methods did as published")


if __name__ == "__main__":
    main(*sys.argv[1:])
