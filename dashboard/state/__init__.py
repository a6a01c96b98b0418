"""The choices of one session: each is declared once as a `Parameter`, with its name in the URL.

parameter           what a choice is: its default, and how a link's text is parsed, checked and formatted
session             the values of the current session; links, Back and Forward, page changes
widgets             bind widgets to parameters
text                the limits of the text
position_choice     the positions of an encoder as one choice
setting_parameters  the parameters of the sidebar
settings            their values, frozen: `Settings`
choices             the parameters of single pages
user_changes        changes by the user that are more than a new value of one setting
answers             the answers to questions, and their files
link                links to the current view
presentation        whether the app is shown on a projector
edit_history        the edits, with undo and redo
offered_encoders    the trained encoders that the sidebar offers
"""
