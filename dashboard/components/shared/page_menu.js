// Streamlit's menu of pages, on a narrow screen: a list whose sections are not items of it, which no screen reader can
// count. It is a navigation with links and headings, so the list's own roles are removed.
// @ts-check

const PARTS = "[data-testid=stSidebarNavItems], [data-testid=stSidebarNavItems] li";

/** @type {WeakSet<Element>} */
const watched = new WeakSet();

function removeListRoles() {
  for (const part of document.querySelectorAll(PARTS)) part.setAttribute("role", "none");
}

/** Remove the roles now and whenever the sidebar changes: the menu appears when a window becomes narrow. */
export function repairPageMenu() {
  removeListRoles();
  const sidebar = document.querySelector("[data-testid=stSidebar]");
  if (!sidebar || watched.has(sidebar)) return;
  watched.add(sidebar);
  new MutationObserver(removeListRoles).observe(sidebar, { childList: true, subtree: true });
}
