import pytest

from benchmarks.client.location import Location, parse_query, percent_encode_query, search_params, stringify_query


def test_a_query_is_parsed_as_the_frontend_parses_it():
    assert parse_query("?b=2&a=x+y&b=%263&flag&empty=") == {"b": ["2", "&3"], "a": "x y", "flag": None, "empty": ""}
    assert parse_query("") == {}


def test_a_query_is_written_sorted_and_strictly_encoded():
    assert stringify_query({"b": ["2", "&3"], "a": "x y!*'()~", "flag": None, "empty": ""}) == (
        "a=x+y%21%2A%27%28%29~&b=2&b=%263&empty="
    )


def test_search_params_keep_the_order_and_encode_as_forms_do():
    assert search_params("?b=x%20y&a=~*!%27") == "b=x+y&a=%7E*%21%27"


def test_a_browser_encodes_only_what_no_url_may_have():
    assert percent_encode_query("a=x y&b=\"<é>'&c=%20~") == "a=x%20y&b=%22%3C%C3%A9%3E%27&c=%20~"


def test_the_address_is_path_and_query():
    location = Location("second?note=a b")
    assert (location.path, location.search, location.query) == ("/second", "?note=a%20b", "note=a%20b")
    assert location.entry.url == "/second?note=a%20b"


def test_push_adds_an_entry_and_drops_those_after_it():
    location = Location("/")
    location.push("/a")
    location.push("/b")
    assert location.go(-2)
    location.push("/c")
    assert ([entry.url for entry in location.entries], location.index) == (["/", "/c"], 1)


def test_replace_changes_the_present_entry_only():
    location = Location("/")
    location.push("/a")
    location.replace("/a?x=1")
    assert [entry.url for entry in location.entries] == ["/", "/a?x=1"]


def test_another_document_must_be_loaded():
    location = Location("/")
    location.open("/a")
    location.push("/b")
    assert location.go(-1)
    assert not location.go(-1)
    assert location.entry.url == "/"


@pytest.mark.parametrize("steps", [-1, 1])
def test_the_history_has_ends(steps):
    location = Location("/")
    with pytest.raises(IndexError):
        location.go(steps)
    assert location.entry.url == "/"
