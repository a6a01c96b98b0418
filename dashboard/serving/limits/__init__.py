"""Limits that a visitor cannot exceed, whatever a browser sends. SECURITY.md lists all of them.

visitors    how many sessions are open at once
fair_share  how much processor time one session may use while others are active
turns       in which order the runs of all sessions compute
gate        size, rate and kinds of the messages of one connection, and how many connections are open
unread      how long a browser may leave unread what it is sent
"""
