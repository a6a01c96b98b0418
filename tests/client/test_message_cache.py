import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.client.message_cache import MessageCache


def message(text, *, cacheable=True, fragment=""):
    message = ForwardMsg(hash=f"hash of {text}")
    message.delta.new_element.text.body = text
    message.delta.fragment_id = fragment
    message.metadata.cacheable = cacheable
    message.metadata.delta_path.extend([0, 1])
    return message.SerializeToString()


def reference(text, path):
    message = ForwardMsg(ref_hash=f"hash of {text}")
    message.metadata.delta_path.extend(path)
    return message.SerializeToString()


@pytest.fixture
def cache():
    return MessageCache()


def test_a_reference_is_the_message_in_another_place(cache):
    cache.decode(message("long"))
    for _ in range(2):
        decoded = cache.decode(reference("long", [0, 5]))
        assert decoded.delta.new_element.text.body == "long"
        assert list(decoded.metadata.delta_path) == [0, 5]
        decoded.delta.new_element.text.body = "used"  # must not reach the cache


def test_only_cacheable_messages_are_claimed(cache):
    cache.decode(message("short", cacheable=False))
    cache.decode(message("long"))
    assert cache.hashes == ["hash of long"]
    with pytest.raises(KeyError):
        cache.decode(reference("short", [0]))


def test_messages_that_no_run_uses_are_forgotten(cache):
    cache.decode(message("old"))
    cache.decode(message("referred"))
    cache.decode(message("repeated"))
    cache.run_finished(2, ())
    cache.run_finished(2, ())
    cache.decode(reference("referred", [0]))
    cache.decode(message("repeated"))
    assert len(cache.hashes) == 3
    cache.run_finished(2, ())
    assert cache.hashes == ["hash of referred", "hash of repeated"]


def test_runs_of_a_fragment_count_for_its_messages_only(cache):
    cache.decode(message("of the page"))
    cache.decode(message("of f", fragment="f"))
    cache.decode(message("of g", fragment="g"))
    cache.run_finished(0, ("f",))
    assert cache.hashes == ["hash of of the page", "hash of of g"]
