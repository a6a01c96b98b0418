"""Programs that are compiled before they are needed."""

from collections.abc import Callable, Sequence

from encoder_core.progress import Progress, require_progress


def compile_in_turn(programs: Sequence[Callable[[], object]], progress: Progress | None) -> None:
    """Call what compiles each program, one after another; `progress` is told the number of programs after each."""
    require_progress(progress)
    for done, compile_program in enumerate(programs, start=1):
        compile_program()
        if progress:
            progress(done, len(programs))
