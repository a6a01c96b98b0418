"""What a page of the app in Chromium is waited for, with `wait_for_function`: `evaluate` would wait for ever."""

CALM = """() => {
    const app = document.querySelector("[data-testid=stApp]");
    return app?.dataset.testConnectionState === "CONNECTED" && app.dataset.testScriptState === "notRunning"
        && !document.querySelector("[data-testid=stSkeleton], [data-stale=true]");
}"""  # no script runs, and no element is left from before
# React has put on screen what the socket brought.
NEXT_FRAMES = """() => new Promise(
    done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true)))))"""
