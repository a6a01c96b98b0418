"""Figures reach a browser tab before the rest of the page, on a second websocket.

Streamlit's frontend draws the whole page anew with each batch of messages, so a plot would get its figure only after
two or three drawings of a run. Here a figure goes straight to the script of the plot as soon as the run has it
(channel.py, socket.py), and Streamlit's messages of that run wait until it has gone (held_messages.py). They then
contain the number of the figure instead of the figure. What takes long and stands above the figures is rendered after
them (after_figures.py).

It needs the server of `make run` (middleware.py). Without it, and while the second websocket is not open, figures are
part of Streamlit's messages.
"""
