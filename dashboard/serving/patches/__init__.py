"""Changes of Streamlit itself, where it has no hook for what the app needs.

downloads      files are made one at a time, and kept until the browser has had time to fetch them
late_requests  requests for a part of a page that has been left are ignored
state_copies   a widget looks up its own entry in the session state without a copy of all entries
state_lock     all runs of a session use one lock
widget_states  states of widgets that no browser sends are ignored
"""

from dashboard.serving.patches.downloads import keep_downloads
from dashboard.serving.patches.late_requests import ignore_late_requests
from dashboard.serving.patches.state_copies import look_up_without_copies
from dashboard.serving.patches.state_lock import share_state_lock
from dashboard.serving.patches.widget_states import check_widget_states


def patch_streamlit() -> None:
    """Make all changes, for all sessions. Further calls change nothing."""
    check_widget_states()
    share_state_lock()
    look_up_without_copies()
    ignore_late_requests()
    keep_downloads()
