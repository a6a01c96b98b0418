"""The choices of one session: each is declared once as a `Parameter`, with its name in the URL.

parameter  what a choice is: its default, how it is read from a link, checked and written
session    the values of the current session; reading a link, Back and Forward, page changes
widgets    widgets that show a parameter and set it
address    the component that writes the URL at the end of each run
"""
