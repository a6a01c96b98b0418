"""Scripts for a page of the app in Chromium."""

CALM = """() => {
    const app = document.querySelector("[data-testid=stApp]");
    return app?.dataset.testConnectionState === "CONNECTED" && app.dataset.testScriptState === "notRunning"
        && !document.querySelector("[data-testid=stSkeleton], [data-stale=true]");
}"""  # no script runs, and no element is left from before
# React has put on screen what the socket brought.
NEXT_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
