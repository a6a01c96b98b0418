"""`ForwardMessageCache`: messages that the server need not send again."""

from collections.abc import Sequence
from dataclasses import dataclass

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg


@dataclass
class _Cached:
    payload: bytes
    used: int  # count of runs
    fragment: str


class MessageCache:
    """Cacheable messages by hash. It outlives a reconnection but not the document."""

    def __init__(self) -> None:
        self._messages: dict[str, _Cached] = {}
        self._runs = 0

    @property
    def hashes(self) -> list[str]:
        """What a rerun message claims."""
        return list(self._messages)

    def decode(self, payload: bytes) -> ForwardMsg:
        """A message from the server, with a reference replaced. Raises KeyError for an unknown reference."""
        message = ForwardMsg.FromString(payload)
        if message.WhichOneof("type") != "ref_hash":
            if message.metadata.cacheable and message.hash not in self._messages:
                self._messages[message.hash] = _Cached(payload, self._runs, message.delta.fragment_id)
            elif message.metadata.cacheable:
                self._messages[message.hash].used = self._runs
            return message
        cached = self._messages[message.ref_hash]
        cached.used = self._runs
        original = ForwardMsg.FromString(cached.payload)
        original.metadata.CopyFrom(message.metadata)
        return original

    def run_finished(self, max_age: int, fragments: Sequence[str]) -> None:
        """Forget what no run has used for a while; runs of fragments count for their own messages."""
        self._runs += 1
        for message_hash, cached in list(self._messages.items()):
            exempt = fragments and cached.fragment not in fragments
            if not exempt and self._runs - cached.used > max_age:
                del self._messages[message_hash]
