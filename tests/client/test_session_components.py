"""The client against real servers: components v2."""

import json

from benchmarks.client import ClientSession


def test_components_have_data_state_and_triggers(address_app):
    with ClientSession(address_app, "/?layer=2") as session:
        assert session.components("board") == session.components("encoder_walkthrough.board") == [{"rows": 3}]
        assert session.components("oard") == []
        session.set_state("board", "other", 1)
        session.set_state("board", "cell", {"row": 1})
        assert [
            json.loads(state.json_value) for state in session.sent[-1].widget_states.widgets if state.json_value
        ] == [{"other": 1, "cell": {"row": 1}}]
        assert "cell={'row': 1} hint=None" in session.texts("caption")
        session.trigger("board", "hint", "why")
        assert "cell={'row': 1} hint=why" in session.texts("caption")
        session.click("Redraw")
        assert "cell={'row': 1} hint=None" in session.texts("caption")


def test_the_address_component_writes_the_history(address_app):
    with ClientSession(address_app, "/?layer=2") as session:
        session.click("Deeper")
        session.click("Deeper")
        assert session.history == ["/?layer=2", "/?layer=3", "/?layer=4"]
        session.back()
        assert "layer=3" in session.texts("caption")
        assert session.url == "/?layer=3"


def test_a_component_can_have_another_hook(address_app, monkeypatch):
    calls = []
    monkeypatch.setattr(ClientSession, "on_component", {"board": lambda: lambda page, data: calls.append((page, data))})
    with ClientSession(address_app, "/?layer=2") as session:
        session.click("Deeper")  # the same data again
        assert [data for _, data in calls] == [{"rows": 3}]
        assert session.history == ["/?layer=2"]
        calls[0][0].trigger("hint", "from the hook")
        session.wait()
        assert "cell={} hint=from the hook" in session.texts("caption")
        session.reload()
        assert len(calls) == 2
