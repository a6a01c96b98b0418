"""Makes files whose buttons are clicked one at a time, and keeps them until the browser has had time to fetch them.

Streamlit makes as many at once as browsers ask for, and removes such a file when the runs of any two sessions have
ended, which in a room full of people is before the browser has asked for it. The largest files have 100 MB.
"""

import asyncio
import time
from collections import Counter, deque
from typing import NamedTuple

from streamlit.proto.BackMsg_pb2 import BackendOperationRequest
from streamlit.proto.ForwardMsg_pb2 import BackendOperationResponse
from streamlit.runtime.backend_operation_handler import DeferredFileHandler
from streamlit.runtime.media_file_manager import MediaFileManager, MediaFileMetadata

KEPT_SECONDS = 15.0
KEPT_BYTES = 200_000_000  # of all files that are kept; the oldest give way
MAX_WAITING = 4  # files of one session

_handle, _execute = DeferredFileHandler.handle, MediaFileManager.execute_deferred
_mark_for_delete = MediaFileMetadata.mark_for_delete


class _File(NamedTuple):
    metadata: MediaFileMetadata
    num_bytes: int
    until: float


_kept: deque[_File] = deque()  # the oldest first; `_making` makes it that of one thread
_making = asyncio.Lock()
_waiting: Counter[str] = Counter()  # files that are asked for and not made yet, by session id


async def _handle_in_turn(
    self: DeferredFileHandler, request: BackendOperationRequest, session_id: str
) -> BackendOperationResponse:
    if _waiting[session_id] >= MAX_WAITING:
        message = f"{MAX_WAITING} files are being made for you. Try again when they have arrived."
        return BackendOperationResponse(request_id=request.request_id, error_msg=message)
    _waiting[session_id] += 1
    try:
        async with _making:
            return await _handle(self, request, session_id)
    finally:
        _waiting[session_id] -= 1
        if not _waiting[session_id]:
            del _waiting[session_id]


def _execute_and_keep(self: MediaFileManager, file_id: str) -> str:
    url, now = _execute(self, file_id), time.monotonic()
    name = url.rpartition("/")[2].partition("?")[0]
    metadata, file = self._file_metadata.get(name.partition(".")[0]), self.read_file(name)
    if metadata and file:
        _kept.append(_File(metadata, len(file.content), now + KEPT_SECONDS))
    while _kept and (_kept[0].until < now or sum(file.num_bytes for file in _kept) > KEPT_BYTES):
        _kept.popleft()
    return url


def _mark_later(self: MediaFileMetadata) -> None:
    """Streamlit deletes a marked file at the end of the next run."""
    if not any(file.metadata is self and time.monotonic() < file.until for file in tuple(_kept)):
        _mark_for_delete(self)


def keep_downloads() -> None:
    """From now on, make and keep files so in all sessions. Further calls change nothing."""
    DeferredFileHandler.handle = _handle_in_turn  # type: ignore[method-assign]
    MediaFileManager.execute_deferred = _execute_and_keep  # type: ignore[method-assign]
    MediaFileMetadata.mark_for_delete = _mark_later  # type: ignore[method-assign]
