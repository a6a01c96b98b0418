// Writes the query string of the session into the URL. It never changes the path: that is Streamlit's.

const canonical = query => new URLSearchParams(query).toString();

// What this tab has seen; a component's own element does not live as long as the tab.
const tab = (window.encoderWalkthroughAddress ??= { session: null, step: 0 });

// Links to other pages carry the state along when they are copied or opened in another tab.
function carry(query) {
  const links = ".st-key-rail a, .st-key-back-and-on a, .ew-diagram a, [data-testid=stTopNavLink], [data-testid=stSidebarNavLink]";
  for (const link of document.querySelectorAll(links)) {
    const target = new URL(link.href);
    if (target.origin === window.location.origin && canonical(target.search) !== canonical(query)) {
      target.search = query;
      link.href = target.href;
    }
  }
}

export default function ({ data, setTriggerValue }) {
  const { session, read, query, step } = data;
  const current = window.location.search.slice(1);
  if (session !== tab.session) {
    Object.assign(tab, { session, step });
    if (canonical(current) !== canonical(read)) {
      setTriggerValue("restore", current);
      return;
    }
  }
  const isStep = step > tab.step;
  tab.step = step;
  if (canonical(current) !== canonical(query)) {
    const url = window.location.pathname + (query ? `?${query}` : "") + window.location.hash;
    window.history[isStep ? "pushState" : "replaceState"](window.history.state, "", url);
  }
  carry(query);
}
