"""Training in the background, for all sessions: one process, a queue, and the runs with their results.

stored_run  a run with all that was measured so far
storage     the runs within the limits of memory
registry    starts, pauses and ends runs, and keeps what the process reports
process     the process itself, and the thread that reads its reports
runs        the registry of this server, with its limits from the environment
"""
