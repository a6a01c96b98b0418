"""What a person, or the JavaScript of a component, does in the browser. Nothing here waits for an answer."""

from collections.abc import Callable
from typing import Any

from streamlit.proto.PageLink_pb2 import PageLink

from benchmarks.client import view
from benchmarks.client.frontend import App
from benchmarks.client.kinds import KINDS
from benchmarks.client.mounts import Mounted


class Actions:
    """Each method sends at most one message, at once or at the end of a batch."""

    def __init__(self, app: Callable[[], App], load: Callable[[], None]) -> None:
        """`app` returns the present document, `load` replaces it by one that is loaded from the present address."""
        self._app = app
        self._load = load

    def set(self, key: str, value: Any) -> None:
        """Give a widget, found by key or label, another value; containers with a key can be opened and closed.

        Raises KeyError for a widget that is not on screen, ValueError for what the browser would not allow.
        """
        widget = self._widget(key)
        if widget.disabled:
            raise ValueError(f"{key!r} is disabled")
        if widget.kind not in KINDS:
            self._set_container(widget, value)
            return
        app, kind, mounted = self._app(), KINDS[widget.kind], widget.mounted
        accepted = kind.accept(mounted.proto, value)
        if kind.public(mounted.proto, accepted) == widget.value:
            return
        app.widget_states.keep(mounted.id, kind.state_field(mounted.proto), accepted)
        self._changed(mounted, accepted, rerun=not mounted.proto.ignore_rerun)

    def click(self, key: str) -> None:
        """Click a button, found by key or label."""
        widget = self._widget(key)
        if widget.kind not in view.BUTTONS or widget.disabled:
            raise ValueError(f"{key!r} is no button that can be clicked")
        if widget.kind == "download_button" and widget.proto.ignore_rerun:
            return
        app = self._app()
        app.widget_states.trigger(widget.mounted.id)
        app.widget_states.schedule_flush(widget.fragment)

    def trigger(self, key: str, name: str, value: Any) -> None:
        """`setTriggerValue(name, value)` of the component with this key."""
        self.trigger_mounted(view.component(self._app(), key), name, value)

    def trigger_mounted(self, component: Mounted, name: str, value: Any) -> None:
        """`setTriggerValue(name, value)` of a component."""
        app = self._app()
        app.widget_states.trigger(f"$$STREAMLIT_INTERNAL_KEY_{component.id}__events", {"event": name, "value": value})
        app.widget_states.schedule_flush(component.node.fragment)

    def set_state(self, key: str, name: str, value: Any) -> None:
        """`setStateValue(name, value)` of the component with this key."""
        app = self._app()
        component = view.component(app, key)
        app.widget_states.keep_json(component.id, {**app.widget_states.json(component.id), name: value})
        app.widget_states.schedule_flush(component.node.fragment)

    def follow(self, target: str | PageLink) -> None:
        """Follow a link of the navigation, named by URL path ("" is the first page) or title, or a `st.page_link`."""
        app = self._app()
        if isinstance(target, PageLink):
            if target.disabled or target.external:
                raise ValueError(f"{target.label!r} leads to no page of the app")
            app.change_page(target.page_script_hash, target.query_string)
            return
        path = target.strip("/")
        for page in app.pages:
            if path in (page.url_pathname, page.page_name) or (not path and page.is_default):
                app.change_page(page.page_script_hash)
                return
        raise KeyError(f"no page {target!r}, there are {[page.url_pathname for page in app.pages]}")

    def go(self, steps: int) -> None:
        """Go back (negative) or forward in the history. Raises IndexError at its ends."""
        app = self._app()
        if app.location.go(steps):
            app.history_changed()
        else:
            self._load()

    def back(self) -> None:
        """The Back button."""
        self.go(-1)

    def forward(self) -> None:
        """The Forward button."""
        self.go(1)

    def rerun(self) -> None:
        """The key "r": run the app again, unless it is running."""
        self._app().rerun()

    def auto_rerun(self) -> None:
        """The intervals of all fragments with `run_every` have passed."""
        app = self._app()
        for fragment in list(app.auto_reruns):
            app.auto_rerun(fragment)

    def _widget(self, key: str) -> view.Widget:
        widgets = view.widgets(self._app())
        if key in widgets:
            return widgets[key]
        labelled = [widget for widget in widgets.values() if widget.label == key]
        if len(labelled) != 1:
            raise KeyError(f"{len(labelled)} widgets {key!r}, there are {sorted(widgets)}")
        return labelled[0]

    def _set_container(self, widget: view.Widget, value: Any) -> None:
        """Open or close an expander or a popover (True, False), or choose a tab by its label."""
        app, mounted = self._app(), widget.mounted
        tabs = widget.kind == "tab_container"
        if widget.kind in view.BUTTONS or (tabs and value not in widget.options):
            raise ValueError(f"{widget.label!r} cannot be {value!r}")
        if value == widget.value:
            return
        if not tabs:
            app.mounts.open[mounted.path] = value
        if mounted.id:
            app.widget_states.keep(mounted.id, "string_value" if tabs else "bool_value", value)
            self._changed(mounted, value, rerun=True)
        app.mounts.update(app.root)

    def _changed(self, mounted: Mounted, value: Any, rerun: bool) -> None:
        """A widget has another value: the address bar follows at once, the message at the end of the tick."""
        app = self._app()
        query = app.bindings.sync(mounted.id, value, app.location)
        if query is not None:
            app.query_params = query
        if rerun:
            app.widget_states.schedule_flush(mounted.node.fragment)
