"""How many threads a computation has on the server."""

import os

from threadpoolctl import threadpool_limits


def compute_in_one_thread() -> None:
    """From now on XLA and NumPy compute in one thread, unless the environment has PJRT_NPROC or OPENBLAS_NUM_THREADS.

    Their products are small, and there are more visitors than cores. XLA's threads that wake each other make a pass
    over two sentences a tenth to a fifth longer. NumPy's spin while they wait for one that has no processor: next to
    other work on two cores, a product of 20 x 384 and 384 x 1536 took 26 ms and 15 ms of processor time in two threads,
    2 and 1 in one.
    """
    os.environ.setdefault("PJRT_NPROC", "1")  # XLA reads it before its first computation
    if "OPENBLAS_NUM_THREADS" not in os.environ:  # NumPy has read it when it was imported
        threadpool_limits(1, user_api="blas")
