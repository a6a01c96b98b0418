"""Many people at once: real websocket sessions that arrive, then act, each at its own rhythm.

    python -m benchmarks.load --sessions 40 --period 3 --seconds 60
    python -m benchmarks.load --sessions 100 --processes 2

Prints one JSON object. Each session speaks the browser's side of Streamlit's protocol (`benchmarks.client`): it sends
the address, the page and the state of every widget, and a move ends when the server says that the run is finished. Of
ten moves, six are single steps of a slider, two are clicks on a cell, one changes the page, one the text; one session
in ten uses MiniLM. `first_*` is the time from the connection to the first finished page, with all sessions arriving
within `--arrive` seconds. `cpu_ms_per_move` is the processor time of the whole server per move, `visit_cpu_ms` per
arrival, `rss_mb` the memory of its largest process. With `--processes`, the server is nginx in front of so many
processes. `bare` has the same figures for a bare Streamlit page with as many elements, where every move is a step of
its slider. The load runs on the same machine as the server.
"""

import argparse
import json
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.client import ClientSession
from benchmarks.client.connection import Connection, PolledConnection
from benchmarks.measure import percentile
from benchmarks.processes import cpu_seconds, largest_mb, wait_until_idle
from benchmarks.serving import serving

ROOT = Path(__file__).parent.parent
TEXTS = ("The black cat jumped on the sofa", "It rains, and it was cold", "A dog slept\nThe dog woke", "She saw it")
PAGES = ("scaled_scores", "softmax", "qkv", "multi_head", "scaled_scores")
VISITS = 30
# The bare page has the app's settings of Streamlit. With its defaults, which collect garbage after each run, parse the
# script anew and watch files, it takes four times the processor time.
LEAN = ("--server.fileWatcherType", "none", "--runner.postScriptGC", "false", "--runner.magicEnabled", "false")


class Visitor(ClientSession):
    """A browser tab that waits for the end of a run only, and counts the bytes that it receives."""

    connect = PolledConnection
    received = 0  # bytes
    elements = 0  # messages with an element
    gets_early_figures = True  # on a websocket of their own, as in a browser
    _awaited = False
    _early_figures: Connection | None = None

    def wait(self) -> None:
        """Read until the run that was asked for last is finished. Raises TimeoutError."""
        deadline = time.monotonic() + self._timeout
        while self._awaited:
            payload = self._connection.receive(deadline)
            if payload is None:
                raise TimeoutError(f"no answer after {self._timeout} s")
            self.received += len(payload)
            message = self.app.handle(payload)
            kind = message.WhichOneof("type")
            self.elements += kind == "delta"
            self._awaited = not (
                kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
            )
        self.app.render()
        if self.gets_early_figures:
            self._read_early_figures()

    def close(self) -> None:
        """Close the tab."""
        super().close()
        if self._early_figures:
            self._early_figures.close()

    def discard(self) -> None:
        """Throw away what has arrived, unread."""
        while self._connection.receive(None) is not None:
            pass

    def _read_early_figures(self) -> None:
        """Read what the websocket for early figures has brought. It is opened when the first plot names it."""
        if self._early_figures:
            while (figure := self._early_figures.receive(None)) is not None:
                self.received += len(figure)
        elif channels := [plot["channel"] for plot in self.components("plot") if plot["channel"]]:
            path, cookie = f"/early_figures/{channels[0]}", self._connection.cookie
            self._early_figures = self.connect(self._server, None, path=path, cookie=cookie)

    def _send(self, message: BackMsg) -> None:
        self._awaited = True
        self._connection.send([message])


class Load:
    """What the sessions measured, in milliseconds."""

    def __init__(self) -> None:
        self.first: list[float] = []
        self.moves: list[float] = []
        self.errors: Counter[str] = Counter()
        self._lock = threading.Lock()  # of several threads that add 1 at once, one would count
        self.bytes = 0
        self.elements = 0

    def run(self, url: str, act: Callable[[Visitor, random.Random], None], links: Iterator[str],
            sessions: int, period: float, seconds: float, arrive: float) -> None:  # fmt: skip
        """Let the sessions arrive, act for so many seconds, and leave."""
        start = time.monotonic()
        people = zip(range(sessions), links, strict=False)
        rhythm = (period, start, arrive, seconds, sessions)
        threads = [threading.Thread(target=self._visit, args=(url, link, act, n, *rhythm)) for n, link in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _visit(self, url: str, link: str, act: Callable[[Visitor, random.Random], None], number: int, period: float,
               start: float, arrive: float, seconds: float, sessions: int) -> None:  # fmt: skip
        chance = random.Random(number)
        try:
            time.sleep(arrive * number / sessions)
            begin = time.perf_counter()
            with Visitor(url, link) as visitor:
                self.first.append((time.perf_counter() - begin) * 1e3)
                self.elements = visitor.elements
                time.sleep(max(0.0, start + arrive - time.monotonic()) + period * chance.random())
                while time.monotonic() < start + arrive + seconds:
                    begin, received = time.perf_counter(), visitor.received
                    act(visitor, chance)
                    taken = time.perf_counter() - begin
                    if visitor.received > received:
                        self.moves.append(taken * 1e3)
                        with self._lock:
                            self.bytes += visitor.received - received
                    if visitor.exceptions:
                        self._count("exception on the page")
                    time.sleep(max(0.0, period * (0.5 + chance.random()) - taken))
        except Exception as error:  # counted: a benchmark must say what failed, not stop
            self._count(f"{type(error).__name__}: {error}"[:120])

    def _count(self, error: str) -> None:
        with self._lock:
            self.errors[error] += 1


def act(visitor: Visitor, chance: random.Random) -> None:
    """One move of a person on the walkthrough."""
    kind = chance.choices(("slider", "cell", "page", "text"), (6, 2, 1, 1))[0]
    widgets = visitor.widgets()
    sliders = [
        (key, widget)
        for key, widget in widgets.items()
        if any(key.startswith(name) for name in ("d_model", "heads", "layers", "d_ff")) and not widget.disabled
    ]
    plots = [mounted for mounted in visitor.app.mounts.all.values() if mounted.key.endswith("_plot")]
    if kind == "page":
        visitor.follow(chance.choice(PAGES))
    elif kind == "cell" and plots:
        cell = {"panel": 0, "row": chance.randrange(8), "column": chance.randrange(8), "tile": None}
        visitor.set_state(plots[0].key, "cell", cell)
    elif kind == "slider" and sliders:
        step(visitor, *chance.choice(sliders), chance)
    else:
        key = next(key for key in widgets if key.startswith("text"))
        visitor.set(key, chance.choice(TEXTS))


def step_slider(visitor: Visitor, chance: random.Random) -> None:
    """One step of the slider of the bare page."""
    key, widget = next((key, widget) for key, widget in visitor.widgets().items() if key.startswith("d_model"))
    step(visitor, key, widget, chance)


def step(visitor: Visitor, key: str, widget: object, chance: random.Random) -> None:
    """Move a slider by one step, to the right or to the left."""
    options = list(widget.options)  # type: ignore[attr-defined]
    place = options.index(str(widget.value))  # type: ignore[attr-defined]
    there = place + chance.choice((-1, 1))
    visitor.set(key, options[there if 0 <= there < len(options) else place - (there - place)])


def measure(url: str, act: Callable[[Visitor, random.Random], None], links: list[str],
            options: argparse.Namespace) -> dict[str, object]:  # fmt: skip
    """The figures of one server under the load."""
    arrival, moving = Load(), Load()
    idle = largest_mb()
    with ExitStack() as present:  # without anybody, Streamlit forgets what it has compiled
        for _ in range(4 * options.processes - 3):
            present.enter_context(Visitor(url, links[0]))
        before = cpu_seconds()
        for link in links[:VISITS]:  # one after the other, to count what a visit costs
            arrival.run(url, act, iter([link]), 1, options.period, 0, 0)
        visit_cpu = (cpu_seconds() - before) / len(links[:VISITS])
    before = cpu_seconds()
    moving.run(url, act, iter(links), options.sessions, options.period, options.seconds, options.arrive)
    cpu = cpu_seconds() - before - visit_cpu * options.sessions
    moves = max(1, len(moving.moves))
    return {
        "sessions": options.sessions,
        "moves": len(moving.moves),
        "first_p50_ms": percentile(moving.first or [0], 50),
        "first_p95_ms": percentile(moving.first or [0], 95),
        "p50_ms": percentile(moving.moves or [0], 50),
        "p95_ms": percentile(moving.moves or [0], 95),
        "max_ms": percentile(moving.moves or [0], 100),
        "errors": dict(moving.errors),
        "idle_mb": round(idle),
        "rss_mb": round(largest_mb()),
        "visit_cpu_ms": round(visit_cpu * 1e3),
        "cpu_ms_per_move": round(cpu / moves * 1e3, 1),
        "bytes_per_move": moving.bytes // moves,
        "elements": arrival.elements,
    }


@contextmanager
def app(processes: int) -> Iterator[str]:
    """The walkthrough, warmed up: one process, or several behind nginx."""
    arguments = ["-m", "streamlit", "run", "dashboard/server.py"]
    if processes > 1:
        arguments = ["-m", "deploy.serve", "--processes", str(processes)]
    with serving(arguments, ROOT) as (url, _):
        wait_until_idle()  # the warm-up
        with ExitStack() as visitors:
            for _ in range(4 * processes - 3):  # so many that hardly a process has none
                for link in ("/scaled_scores?encoder=minilm", "/scaled_scores"):
                    visitors.enter_context(Visitor(url, link))
            wait_until_idle()  # MiniLM is loaded, and every page's modules
        yield url


@contextmanager
def bare(elements: int) -> Iterator[str]:
    """The bare page."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "bare_page.py")
        page.write_text((ROOT / "benchmarks" / "bare_page.py").read_text())
        arguments = ["-m", "streamlit", "run", str(page), *LEAN, "--", str(elements)]
        with serving(arguments, Path(folder)) as (url, _):
            with Visitor(url):
                pass
            yield url


def main() -> None:
    parser = argparse.ArgumentParser(description="Many people at once on the walkthrough, and on a bare page.")
    parser.add_argument("--sessions", type=int, default=40)
    parser.add_argument("--period", type=float, default=3.0, help="seconds between two moves of one person")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long people move")
    parser.add_argument("--arrive", type=float, default=5.0, help="seconds within which all arrive")
    parser.add_argument("--processes", type=int, default=1, help="with more than one, nginx distributes the sessions")
    parser.add_argument("--slider-only", action="store_true", help="steps of one slider on Scaled scores, no MiniLM")
    options = parser.parse_args()
    links = ["/scaled_scores" if number % 10 or options.slider_only else "/scaled_scores?encoder=minilm"
             for number in range(1, options.sessions + 1)]  # fmt: skip
    with app(options.processes) as url:
        ours = measure(url, step_slider if options.slider_only else act, links, options)
    with bare(int(str(ours["elements"]))) as url:
        plain = measure(url, step_slider, ["/"] * options.sessions, options)
    print(json.dumps({**ours, "bare": plain}))


if __name__ == "__main__":
    main()
