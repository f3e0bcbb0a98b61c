// Tables wider than the page scroll in a frame that the theme makes: the keyboard has to reach it.
const reach = () => {
  for (const frame of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) frame.tabIndex = 0;
};
new MutationObserver(reach).observe(document.documentElement, { childList: true, subtree: true });
reach();
