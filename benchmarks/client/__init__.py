"""A client that speaks Streamlit's websocket protocol the way the browser's frontend does, without a browser.

    from benchmarks.client import ClientSession

    with ClientSession(url, "/scaled_scores?layer=2") as s:
        s.set("heads", "4")                  # one action, then wait until the server has answered
        s.send.set("layer", 3)               # the same without waiting: nothing that arrives is read yet
        s.send.set_state("plot", "cell", {"row": 1})
        s.wait()
        assert s.url == "/scaled_scores?layer=3"

The code follows the frontend of Streamlit 1.67.0 (`App`, `AppRoot`, `WidgetStateManager`, `useBasicWidgetState`, the
`ForwardMessageCache` and the components' hooks), including its order of operations, because the tests that use it
look for races. `tests/client/test_browser.py` compares the messages with those of Chromium.

Simulated
- The websocket: session id, reconnection, the cache of forward messages and the hashes that the client claims.
- The element tree: deltas, blocks, retained and transient elements, fragments, stale elements, page changes.
- Widgets: checkbox and toggle, number input, slider, select slider, selectbox, radio, pills and segmented control,
  multiselect, text input, text area, button, download button, expander and tabs with a key, components v2 (state and
  triggers). A widget is mounted when it appears, registers its value without a rerun, keeps the browser's value until
  an element arrives with `set_value`, and is forgotten when a run ends without it. Children of a closed popover are
  not mounted.
- One message per browser tick: `batch()` collects changes and sends them with the fragment id of the first one, as
  `scheduleFlush` does: a change outside of fragments has the id "", which counts as well.
- The address bar: history entries, page changes, `bind="query-params"`, `st.query_params`, back and forward, reload,
  and the difference between `location.search` and the copy of it that the frontend sends as the query string.
- One component in Python: see `ClientSession.on_component` and `address.py`.

Not simulated
- Rendering, JavaScript of components (other than `on_component`), focus, text that is typed but not committed yet, and
  `live` text inputs.
- Forms, dates, files, camera, audio, chat, feedback, data editors, selections in charts, custom components v1,
  embedded apps, authentication, a base URL path.
- Time: `run_every` sends nothing by itself, call `auto_rerun()`. A lazily loaded widget is mounted at once. React
  renders before and after every message that is not a delta, and when the client stops reading. A browser may draw
  several such messages together; the client shows the case in which it does not. It matters where a whole run ends
  without a widget that the next message brings back: the widget loses its value (see
  `tests/client/test_frontend.py`).

The only messages that a browser does not send are `set_run_on_save` markers, see `runs.py`. Without a file watcher
they have no effect on the app.
"""

from benchmarks.client.session import ClientSession

__all__ = ["ClientSession"]
