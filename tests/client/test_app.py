"""The client and the real app."""

from benchmarks.client import ClientSession


def test_the_walkthrough_is_driven_through_its_pages(server):
    with ClientSession(server, "/scaled_scores?layer=2") as session:
        assert session.page == "scaled_scores"
        assert session.texts("title") == ["Scaled scores"]
        assert session.widgets()["layers"].value == "4"
        session.set("d_model", 128)
        assert "d_model=128" in session.url
        plots = session.components("plot")
        session.set("heads", 8)
        assert session.components("plot") != plots
        session.follow("softmax")
        assert session.texts("title") == ["Softmax weights"]
        assert {"d_model", "heads"} <= {part.partition("=")[0] for part in session.url.partition("?")[2].split("&")}
        session.back()
        assert (session.page, session.widgets()["heads"].value) == ("scaled_scores", "8")
        session.reload()
        assert (session.page, session.widgets()["d_model"].value) == ("scaled_scores", "128")
        assert session.exceptions == []
