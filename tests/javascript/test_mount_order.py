"""Streamlit may call the script of a component for older data after it has for newer data, and takes that back."""

import sys
from pathlib import Path

import pytest

from dashboard.components.plotly_bundle import bundle
from tests.javascript.panels import one_number_figures
from tests.javascript.test_derivation import DATA as DERIVATION

_MOUNTS = """async figures => {
    document.body.innerHTML = "<div class='ew-plot'></div>";
    window.encoderWalkthroughPlotly = Promise.resolve(window.Plotly);
    const { default: mount } = await import("/plot/plot.js");
    const host = document.querySelector(".ew-plot");
    const show = figure => mount({
        data: { key: "plot", channel: "", revision: 1, figure, bundle: "", player: "", saver: "" },
        parentElement: document.body, setStateValue() {}, setTriggerValue() {},
    });
    const painted = async () => {
        await new Promise(done => setTimeout(done));
        await host.plotLine.paintQueue;
        return host.plotLine.panelElements[0].plot.data?.[0].z[0][0] ?? null;
    };
    const older = figures[0], newer = figures[1];
    ORDER
}"""
_ORDERS = {
    "the older one last": ("show(newer); show(older)(); return painted()", 2),
    "the older one last, after the newer one is painted": (
        "show(newer); await painted(); show(older)(); return painted()",
        2,
    ),
    "the older one first": ("show(older)(); show(newer); return painted()", 2),
    "one, again after it has left": (
        "const leave = show(older); await painted(); leave(); show(older); return painted()",
        1,
    ),
    "both, and a third": ("show(newer); show(older)(); show(figures[2]); return painted()", 3),
}


@pytest.mark.parametrize("order", _ORDERS)
def test_the_newer_figure_is_painted(scripts, order):
    script, expected = _ORDERS[order]
    scripts.page.add_script_tag(path=bundle(Path(sys.prefix)))
    assert scripts.page.evaluate(_MOUNTS.replace("ORDER", script), one_number_figures(1, 2, 3)) == expected


def test_all_is_released_when_the_component_has_left_the_page(scripts):
    scripts.page.add_script_tag(path=bundle(Path(sys.prefix)))
    script = """show(older); const leave = show(newer); await painted(); host.remove(); leave();
        return [host.plotLine.isReleased, host.plotLine.figure]"""
    assert scripts.page.evaluate(_MOUNTS.replace("ORDER", script), one_number_figures(1, 2, 3)) == [True, None]


def test_one_that_is_shown_again_after_it_has_left_follows_the_width(scripts):
    scripts.page.add_script_tag(path=bundle(Path(sys.prefix)))
    script = """const leave = show(older); await painted(); leave(); show(older); await painted();
        host.style.width = "700px";
        for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
        await painted();
        return host.plotLine.width"""
    assert scripts.page.evaluate(_MOUNTS.replace("ORDER", script), one_number_figures(1)) == 700


_LATEST = """async () => {
    const { showLatest } = await import("/shared/dom.js");
    document.body.innerHTML = "<div></div>";
    const host = document.body.firstChild, happened = [];
    const call = name => showLatest(
        host, { name }, ({ name }) => { happened.push(name); return () => happened.push(`end ${name}`); },
        () => happened.push("release"),
    );
    ORDER
    return happened;
}"""


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("call('newer'); call('older')();", ["newer", "end newer", "older", "end older", "newer"]),
        ("const leave = call('older'); call('newer'); leave();", ["older", "end older", "newer"]),
        ("call('one')();", ["one", "end one", "release"]),
        (
            "call('one'); const leave = call('two'); host.remove(); leave();",
            ["one", "end one", "two", "end two", "release"],
        ),
    ],
    ids=["the older one last", "the older one first", "one", "it has left the page"],
)
def test_each_call_ends_before_the_next_one(scripts, order, expected):
    assert scripts.page.evaluate(_LATEST.replace("ORDER", order)) == expected


_UPDATES = """async ({ path, host, older, newer, read }) => {
    document.body.innerHTML = `<div class="${host}"></div>`;
    const { default: update } = await import(path);
    const call = data => update({ data, parentElement: document.body, setTriggerValue() {} });
    call(newer);
    call(older)();
    await new Promise(done => setTimeout(done));
    return read === "query" ? window.location.search : document.querySelector(read).textContent;
}"""
_ROW = {"name": "a", "kind": "", "says": "", "quoted": True, "verdict": "holds", "condition": "", "measured": ""}
_ADDRESS = {"session": "one", "read": "", "step": 0, "fragment": False}
_DATA = {
    "address_bar/address": ("query", lambda word: {**_ADDRESS, "query": f"text={word}"}),
    "derivation/derivation": (".ew-result span", lambda word: {**DERIVATION, "description": word}),
    "item_table/item_table": ("button", lambda word: {"rows": [{**_ROW, "title": word}], "selected": ""}),
    "mask_grid/mask_grid": (
        "thead button",
        lambda word: {"rows": ["a"], "columns": [word], "cells": "1", "answered": 0},
    ),
    "share/share": (".ew-code-title", lambda word: {"link": "", "title": word, "size": 21, "path": "", "maxCode": 100}),
}


@pytest.mark.parametrize("name", _DATA)
def test_what_has_nothing_to_end_stays_at_the_newer_data(scripts, name):
    read, data = _DATA[name]
    call = {"path": f"/{name}.js", "host": f"ew-{name.split('/')[1]}", "read": read}
    shown = scripts.page.evaluate(_UPDATES, {**call, "older": data("older"), "newer": data("newer")})
    assert shown.removeprefix("?text=") == "newer"
