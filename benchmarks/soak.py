"""Hours of visitors in minutes: sessions come and go, one of them asks for as much as it can.

    python -m benchmarks.soak --minutes 30

Prints one JSON object. `memory_mb` is the resident memory of the server in `--samples` equal parts of the time, the
median of each, while `--sessions` tabs are open: each acts as in `benchmarks.load` for 20 to 60 seconds, leaves, and
another one arrives. `growth_percent` compares the last part with the part after the first third, when the caches are
full. `errors` counts what failed.

`greedy_slowdown` is the median time of the other sessions' moves next to one greedy session, divided by that without
it. The greedy session has the largest sizes, text and number of edits, and moves a slider as soon as the last move is
answered. `flood_slowdown` is the same for a session that does not wait for answers. Both are measured after the soak,
alternating with and without; `after_rivals_mb` is the memory then.
"""

import argparse
import json
import random
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable
from urllib.parse import urlencode

from benchmarks.client.connection import ConnectionLost
from benchmarks.load import Visitor, act, app, step
from benchmarks.measure import percentile, resident_mb
from benchmarks.processes import descendants

LINKS = ("/scaled_scores", "/softmax?text=It+rains", "/scaled_scores?encoder=minilm", "/multi_head?layers=2")
LARGEST = {
    "d_model": 256, "heads": 16, "d_ff": 1024, "layers": 12,
    "text": "\n".join(" ".join(f"w{line}{word}" for word in range(55)) for line in range(8))[:2_000],
    "edits": "~".join(f"head.{layer}.{head}=0.5" for layer in range(12) for head in range(2)),
}  # fmt: skip
BURST = 40  # moves that a flooding session sends before it looks at what has arrived
OTHERS = 2


class Soak:
    """Sessions that come and go on one server, until the time is over."""

    def __init__(self, url: str, seconds: float, period: float) -> None:
        self._url = url
        self._period = period
        self._end = time.monotonic() + seconds
        self.moves = self.visits = 0
        self.errors: Counter[str] = Counter()
        self._lock = threading.Lock()  # of several threads that add 1 at once, one would count

    def run(self, sessions: int, samples: int) -> list[float]:
        """Open so many tabs at once. Returns the median memory in each part of the time."""
        threads = [threading.Thread(target=self._visit_again_and_again, args=(number,)) for number in range(sessions)]
        start, processes = time.monotonic(), descendants()  # before threads of this process begin to come and go
        for thread in threads:
            thread.start()
        memory: list[list[float]] = [[] for _ in range(samples)]
        while (now := time.monotonic()) < self._end:
            memory[int((now - start) / (self._end - start) * samples)].append(resident_mb(processes))
            time.sleep(0.5)
        for thread in threads:
            thread.join()
        return [round(statistics.median(part), 1) for part in memory]

    def _visit_again_and_again(self, number: int) -> None:
        chance = random.Random(number)
        while time.monotonic() < self._end:
            leaves = min(self._end, time.monotonic() + chance.uniform(20, 60))
            try:
                with Visitor(self._url, chance.choice(LINKS)) as visitor:
                    with self._lock:
                        self.visits += 1
                    while time.monotonic() < leaves:
                        act(visitor, chance)
                        with self._lock:
                            self.moves += 1
                        if visitor.exceptions:
                            self._count("exception on the page")
                        time.sleep(self._period * chance.uniform(0.5, 1.5))
            except Exception as error:  # counted: a benchmark must say what failed, not stop
                self._count(f"{type(error).__name__}: {error}"[:120])

    def _count(self, error: str) -> None:
        with self._lock:
            self.errors[error] += 1


def move_slider(visitor: Visitor, chance: random.Random, names: tuple[str, ...]) -> None:
    """One step of one of these sliders."""
    widgets = visitor.widgets()
    key = chance.choice([key for key in widgets if key.partition(".")[0] in names])
    step(visitor, key, widgets[key], chance)


def greedy(url: str, stop: threading.Event) -> None:
    """Ask for another largest model as soon as the last one is there."""
    chance = random.Random(0)
    with Visitor(url, f"/full_stack?{urlencode(LARGEST)}") as visitor:
        while not stop.is_set():
            move_slider(visitor, chance, ("d_ff",))


def flood(url: str, stop: threading.Event) -> None:
    """Ask for another largest model as fast as the connection takes it."""
    while not stop.is_set():
        try:
            _flood(url, stop)
        except (ConnectionLost, TimeoutError):  # the server may close the connection; the flood goes on with another
            time.sleep(0.1)


def _flood(url: str, stop: threading.Event) -> None:
    chance = random.Random(0)
    with Visitor(url, f"/full_stack?{urlencode(LARGEST)}", timeout=20) as visitor:
        key, d_ff = next((key, widget) for key, widget in visitor.widgets().items() if key.startswith("d_ff"))
        while not stop.is_set():
            for _ in range(BURST):
                visitor.send.set(key, chance.choice(d_ff.options))
            visitor.discard()


def others_moves(url: str, seconds: float) -> list[float]:
    """Milliseconds of the moves of some ordinary sessions."""
    moves: list[float] = []

    def visit(number: int) -> None:
        chance = random.Random(number)
        with Visitor(url, f"/scaled_scores?seed={number}") as visitor:
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                begin = time.perf_counter()
                move_slider(visitor, chance, ("layers", "d_ff"))
                moves.append((time.perf_counter() - begin) * 1e3)
                time.sleep(chance.uniform(0.5, 1.5))

    threads = [threading.Thread(target=visit, args=(number,)) for number in range(1, OTHERS + 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return moves


def slowdown(url: str, rival: Callable[[str, threading.Event], None], seconds: float) -> dict[str, float]:
    """The others' moves without and with the rival, twice in turn; the rival begins three seconds before."""
    alone, beside = [], []
    for _ in range(2):
        alone += others_moves(url, seconds)
        stop = threading.Event()
        thread = threading.Thread(target=rival, args=(url, stop), daemon=True)
        thread.start()
        time.sleep(3)
        beside += others_moves(url, seconds)
        stop.set()
        thread.join(60)
    p50_alone, p50_beside = percentile(alone, 50), percentile(beside, 50)
    return {"ratio": round(p50_beside / p50_alone, 2), "alone_p50_ms": p50_alone, "beside_p50_ms": p50_beside,
            "alone_p95_ms": percentile(alone, 95), "beside_p95_ms": percentile(beside, 95)}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="Sessions that come and go, and one that asks for all it can.")
    parser.add_argument("--minutes", type=float, default=30.0, help="length of the soak")
    parser.add_argument("--sessions", type=int, default=8, help="tabs that are open at once")
    parser.add_argument("--period", type=float, default=3.0, help="seconds between two moves of one tab")
    parser.add_argument("--samples", type=int, default=12, help="parts of the time with one figure of memory each")
    parser.add_argument("--rival-seconds", type=float, default=20.0, help="length of each part next to a rival")
    options = parser.parse_args()
    with app(processes=1) as url:
        soak = Soak(url, options.minutes * 60, options.period)
        memory = soak.run(options.sessions, options.samples)
        beside_greedy = slowdown(url, greedy, options.rival_seconds)
        beside_flood = slowdown(url, flood, options.rival_seconds)
        after_rivals = resident_mb(descendants())
    after_third = memory[options.samples // 3]
    print(
        json.dumps(
            {
                "minutes": options.minutes,
                "sessions": options.sessions,
                "visits": soak.visits,
                "moves": soak.moves,
                "memory_mb": memory,
                "after_third_mb": after_third,
                "end_mb": memory[-1],
                "after_rivals_mb": round(after_rivals, 1),
                "growth_percent": round((memory[-1] / after_third - 1) * 100, 2),
                "errors": {name: count for name, count in soak.errors.items() if count},
                "greedy_slowdown": beside_greedy["ratio"],
                "flood_slowdown": beside_flood["ratio"],
                "beside_greedy": beside_greedy,
                "beside_flood": beside_flood,
            }
        )
    )


if __name__ == "__main__":
    main()
