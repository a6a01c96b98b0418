"""The choices of one session: each is declared once as a `Parameter`, with its name in the URL.

parameter         what a choice is: its default, and how a link's text is parsed, checked and formatted
session           the values of the current session; links, Back and Forward, page changes
widgets           bind widgets to parameters
text              the limits of the text
position_choice   the positions of an encoder as one choice
settings          the parameters of the sidebar, and their frozen value `Settings`
choices           the parameters of single pages
answers           the answers to questions, and their files
link              links to the current view
edit_history      the edits, with undo and redo
offered_encoders  the trained encoders that the sidebar offers
"""
