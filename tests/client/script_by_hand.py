"""An app of the frontend that gets messages made by hand."""

from streamlit.proto.ClientState_pb2 import ContextInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.client.frontend import App
from benchmarks.client.location import Location
from benchmarks.client.view import elements

MAIN, HOME, OTHER = "main script", "home script", "other script"
NUMBER = "$$ID-hash-number"


class Script:
    """Hands messages to an app as a server does."""

    def __init__(self, url="/"):
        self.sent = []
        self.location = Location(url)
        self.app = App("http://server", self.location, ContextInfo(timezone="UTC"), self.send, lambda *_: None)
        self.run = 0

    def send(self, message):
        self.sent.append(message.rerun_script)

    def say(self, **fields):
        message = ForwardMsg(**fields)
        message.metadata.run.script_run_id = f"run {self.run}"
        self.app.handle(message.SerializeToString())

    def begin(self, page=HOME, fragments=()):
        self.run += 1
        message = ForwardMsg()
        message.new_session.page_script_hash, message.new_session.main_script_hash = page, MAIN
        message.new_session.initialize.session_id = "session"
        message.new_session.config.max_cached_message_age = 2
        message.metadata.run.script_run_id = f"run {self.run}"
        message.metadata.run.fragment_ids.extend(fragments)
        self.app.handle(message.SerializeToString())

    def navigation(self, page=HOME):
        message = ForwardMsg()
        for path, script in (("", HOME), ("other", OTHER)):
            message.navigation.app_pages.add(page_script_hash=script, url_pathname=path, is_default=not path)
        message.navigation.page_script_hash = page
        self.app.handle(message.SerializeToString())

    def number(self, fragment="", *, part=0, script=MAIN, bind="", value=None, message_hash=""):
        """A number input at the first place of a part: the main area (0) or the sidebar (1)."""
        message = ForwardMsg(hash=message_hash)
        number = message.delta.new_element.number_input
        number.id, number.default, number.max = NUMBER, 3, 9
        if bind:
            number.query_param_key = bind
        if value is not None:
            number.value, number.set_value = value, True
        message.delta.fragment_id = fragment
        message.metadata.delta_path.extend([part, 0])
        message.metadata.active_script_hash = script
        self.app.handle(message.SerializeToString())

    def text(self, text, place, fragment=""):
        """A text at a place of the main block."""
        message = ForwardMsg()
        message.delta.new_element.text.body = text
        message.delta.fragment_id = fragment
        message.metadata.delta_path.extend([0, place])
        message.metadata.active_script_hash = MAIN
        self.app.handle(message.SerializeToString())

    def end(self, status=ForwardMsg.FINISHED_SUCCESSFULLY, fragments=()):
        message = ForwardMsg(script_finished=status)
        message.metadata.run.script_run_id = f"run {self.run}"
        message.metadata.run.fragment_ids.extend(fragments)
        self.app.handle(message.SerializeToString())

    @property
    def texts(self):
        return [element.body for element in elements(self.app, "text")]

    @property
    def value(self):
        state = self.app.widget_states.get(NUMBER)
        return state.int_value if state else None

    @property
    def urls(self):
        return [entry.url for entry in self.location.entries]
