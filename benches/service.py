"""Five crawls in a service, alone and beside many clients: see service.sh."""

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
CRAWLS, DOCUMENTS, CONNECTIONS, LISTENERS, DEAF = 5, 2000, 200, 500, 100
TICK = os.sysconf("SC_CLK_TCK")
SETTINGS = f"""
[politeness]
delay_ms = 0
[fetch]
proxy = "{PROXY}"
[service]
crawls_running = {CRAWLS}
requests_per_minute = 4000000000
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
    def __init__(self, folder):
        with open(f"{folder}/lodeward.toml", "w") as file:
            file.write(SETTINGS)
        command = [BINARY, "serve", "--data", f"{folder}/data", "--listen", "127.0.0.1:0", "--no-auth"]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().split()[-1]
        self.address = self.url.removeprefix("http://").split(":")

    def ask(self, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.url + path, data, {"content-type": "application/json"})
        return json.load(urllib.request.urlopen(request, timeout=60))

    def cpu(self):
        """All CPU time, and that of the threads that answer."""
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


class Listeners:
    """Many who listen to events; some never read."""

    def __init__(self, service):
        self.events, self.running, self.sockets = 0, True, []
        for number in range(LISTENERS):
            connection = socket.create_connection((service.address[0], int(service.address[1])))
            connection.sendall(b"GET /api/v1/events?visits=true HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n")
            connection.setblocking(False)
            self.sockets.append(connection)
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()

    def listen(self):
        import select
        poll = select.epoll()
        readers = {s.fileno(): s for s in self.sockets[DEAF:]}
        for number in readers:
            poll.register(number, select.EPOLLIN)
        self.refused = 0
        while self.running:
            for number, _ in poll.poll(0.2):
                try:
                    chunk = readers[number].recv(1 << 16)
                except BlockingIOError:
                    continue
                if not chunk:
                    poll.unregister(number)
                    self.refused += 1
                self.events += chunk.count(b"\nevent:") + chunk.startswith(b"event:")

    def stop(self):
        self.running = False
        self.thread.join()
        for connection in self.sockets:
            connection.close()


def run(with_clients):
    with tempfile.TemporaryDirectory() as folder, Service(folder) as service:
        seeds = open(SEEDS).read().split()
        before, before_api = service.cpu()
        began = time.monotonic()
        for _ in range(CRAWLS):
            service.ask("/api/v1/crawls", {"seeds": seeds, "strategy": "bfs", "limits": {"max_documents": DOCUMENTS}})
        wrk, listeners = None, None
        if with_clients:
            listeners = Listeners(service)
            with open(f"{folder}/reads.lua", "w") as file:
                file.write(READS)
            command = ["wrk", "-t1", f"-c{CONNECTIONS}", "-d600s", "--latency", "--timeout", "30s", "-s", f"{folder}/reads.lua", service.url]
            wrk = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        while True:
            crawls = service.ask("/api/v1/crawls?limit=50")["crawls"]
            if all(crawl["state"] not in ("queued", "running") for crawl in crawls):
                break
            time.sleep(0.5)
        wall = time.monotonic() - began
        after, after_api = service.cpu()
        told = ""
        if wrk:
            wrk.send_signal(2)
            told = wrk.communicate()[0]
            listeners.stop()
        documents = sum(crawl["counters"]["documents"] for crawl in crawls)
        result = {
            "documents": documents,
            "states": sorted({crawl["state"] for crawl in crawls}),
            "wall": wall,
            "crawl_cpu": (after - before) - (after_api - before_api),
            "api_cpu": after_api - before_api,
            "memory_mb": service.memory_mb(),
            "wrk": told,
            "events": listeners.events if listeners else 0,
            "refused": listeners.refused if listeners else 0,
        }
        return result


def main():
    alone, beside = [], []
    for _ in range(ROUNDS):
        alone.append(run(False))
        beside.append(run(True))
    rate = lambda result: result["documents"] / result["crawl_cpu"]
    print("| | documents | documents per CPU-second of crawling | CPU-s of answering | wall s | peak memory MB |")
    print("|---|---|---|---|---|---|")
    for name, results in [("alone", alone), ("beside clients", beside)]:
        for result in results:
            print(f"| {name} ({', '.join(result['states'])}) | {result['documents']} | {rate(result):.0f} | {result['api_cpu']:.1f} | {result['wall']:.0f} | {result['memory_mb']:.0f} |")
    ratio = statistics.median(map(rate, beside)) / statistics.median(map(rate, alone))
    print(f"\nThroughput per CPU-second beside clients: **{ratio:.2f}×** of that alone.\n")
    for result in beside:
        told = result["wrk"]
        find = lambda pattern: (re.search(pattern, told) or [None, "none"])[1]
        errors = [line.strip() for line in told.splitlines() if "errors" in line or "Non-2xx" in line]
        requests, rate_told = find(r"(\d+) requests in"), find(r"Requests/sec:\s+(\S+)")
        half, most = find(r"50%\s+(\S+)"), find(r"99%\s+(\S+)")
        listeners = f"{result['events']} events received, {result['refused']} listeners refused or cut off"
        print(f"- {requests} requests, {rate_told} per second; p50 {half}, p99 {most}; {'; '.join(errors) or 'no error'}; {listeners}")


main()
