"""Five crawls in a service, with and without many clients: see service.sh."""

import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

BINARY, PROXY, SEEDS, ROUNDS = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
CRAWLS, DOCUMENTS, CONNECTIONS, SUBSCRIBERS, IDLE_SUBSCRIBERS = 5, 2000, 200, 500, 100
TICK = os.sysconf("SC_CLK_TCK")
SETTINGS = f"""
[politeness]
delay = 0
[fetch]
proxy = "{PROXY}"
[service]
max_running_crawls = {CRAWLS}
rate_limit_per_minute = 4000000000
"""
READS = """
local paths = { "/health", "/api/v1/crawls", "/api/v1/crawls/1", "/api/v1/me" }
local turn = 0
request = function()
  turn = turn % #paths + 1
  return wrk.format("GET", paths[turn])
end
"""


def seconds(stat):
    fields = open(stat).read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


class Service:
    def __init__(self, directory):
        with open(f"{directory}/lodeward.toml", "w") as file:
            file.write(SETTINGS)
        command = [BINARY, "serve", "--data", f"{directory}/data", "--listen", "127.0.0.1:0", "--no-auth"]
        self.process = subprocess.Popen(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().split()[-1]
        self.address = self.url.removeprefix("http://").split(":")

    def request(self, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.url + path, data, {"content-type": "application/json"})
        return json.load(urllib.request.urlopen(request, timeout=60))

    def cpu(self):
        """CPU time of the process, and of its API threads."""
        task = f"/proc/{self.process.pid}/task"
        api = 0.0
        for thread in os.listdir(task):
            if open(f"{task}/{thread}/comm").read().startswith("api"):
                api += seconds(f"{task}/{thread}/stat")
        return seconds(f"/proc/{self.process.pid}/stat"), api

    def memory_mb(self):
        status = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Subscribers:
    """Many event subscribers, some of which never read."""

    def __init__(self, service):
        self.events, self.running, self.sockets = 0, True, []
        for number in range(SUBSCRIBERS):
            connection = socket.create_connection((service.address[0], int(service.address[1])))
            connection.sendall(b"GET /api/v1/events?requests=true HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n")
            connection.setblocking(False)
            self.sockets.append(connection)
        self.thread = threading.Thread(target=self.receive)
        self.thread.start()

    def receive(self):
        import select
        poll = select.epoll()
        readers = {s.fileno(): s for s in self.sockets[IDLE_SUBSCRIBERS:]}
        for number in readers:
            poll.register(number, select.EPOLLIN)
        self.closed = 0
        while self.running:
            for number, _ in poll.poll(0.2):
                try:
                    chunk = readers[number].recv(1 << 16)
                except BlockingIOError:
                    continue
                if not chunk:
                    poll.unregister(number)
                    self.closed += 1
                self.events += chunk.count(b"\nevent:") + chunk.startswith(b"event:")

    def stop(self):
        self.running = False
        self.thread.join()
        for connection in self.sockets:
            connection.close()


def run(with_clients):
    with tempfile.TemporaryDirectory() as directory, Service(directory) as service:
        seeds = open(SEEDS).read().split()
        before, before_api = service.cpu()
        started = time.monotonic()
        for _ in range(CRAWLS):
            service.request("/api/v1/crawls", {"seeds": seeds, "strategy": "bfs", "limits": {"max_documents": DOCUMENTS}})
        wrk, subscribers = None, None
        if with_clients:
            subscribers = Subscribers(service)
            with open(f"{directory}/reads.lua", "w") as file:
                file.write(READS)
            command = ["wrk", "-t1", f"-c{CONNECTIONS}", "-d600s", "--latency", "--timeout", "30s", "-s", f"{directory}/reads.lua", service.url]
            wrk = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        while True:
            crawls = service.request("/api/v1/crawls?limit=50")["crawls"]
            if all(crawl["state"] not in ("queued", "running") for crawl in crawls):
                break
            time.sleep(0.5)
        wall = time.monotonic() - started
        after, after_api = service.cpu()
        wrk_output = ""
        if wrk:
            wrk.send_signal(2)
            wrk_output = wrk.communicate()[0]
            subscribers.stop()
        documents = sum(crawl["counters"]["documents"] for crawl in crawls)
        result = {
            "documents": documents,
            "states": sorted({crawl["state"] for crawl in crawls}),
            "wall": wall,
            "crawl_cpu": (after - before) - (after_api - before_api),
            "api_cpu": after_api - before_api,
            "memory_mb": service.memory_mb(),
            "wrk": wrk_output,
            "events": subscribers.events if subscribers else 0,
            "closed": subscribers.closed if subscribers else 0,
        }
        return result


def main():
    without_clients, with_clients = [], []
    for _ in range(ROUNDS):
        without_clients.append(run(False))
        with_clients.append(run(True))
    rate = lambda result: result["documents"] / result["crawl_cpu"]
    print("| | documents | documents per CPU-second of crawling | CPU-s of the API | wall s | peak memory MB |")
    print("|---|---|---|---|---|---|")
    for name, results in [("without clients", without_clients), ("with clients", with_clients)]:
        for result in results:
            print(f"| {name} ({', '.join(result['states'])}) | {result['documents']} | {rate(result):.0f} | {result['api_cpu']:.1f} | {result['wall']:.0f} | {result['memory_mb']:.0f} |")
    ratio = statistics.median(map(rate, with_clients)) / statistics.median(map(rate, without_clients))
    print(f"\nThroughput per CPU-second with clients: **{ratio:.2f}×** of that without clients.\n")
    for result in with_clients:
        wrk_output = result["wrk"]
        find = lambda pattern: (re.search(pattern, wrk_output) or [None, "none"])[1]
        errors = [line.strip() for line in wrk_output.splitlines() if "errors" in line or "Non-2xx" in line]
        requests, requests_per_second = find(r"(\d+) requests in"), find(r"Requests/sec:\s+(\S+)")
        p50, p99 = find(r"50%\s+(\S+)"), find(r"99%\s+(\S+)")
        subscribers = f"{result['events']} events received, {result['closed']} subscribers rejected or disconnected"
        print(f"- {requests} requests, {requests_per_second} per second; p50 {p50}, p99 {p99}; {'; '.join(errors) or 'no error'}; {subscribers}")


main()
