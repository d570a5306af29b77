// Loaded before the page's scripts in the tests of hostile tasks: records harm.
const broken = [];
addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
  broken.push(`${violatedDirective} ${blockedURI}`),
);

const ABLE =
  "iframe, object, embed, img, form[action], base, meta[http-equiv], script:not([src]), body style, body link";
const ADDRESSES = new Set(["href", "src", "action", "formaction", "xlink:href"]);
const isAble = ({ name, value }) =>
  /^on/i.test(name) || (ADDRESSES.has(name) && /^\s*(javascript|data|vbscript):/i.test(value));

window.watch = {
  /** Executed payloads, policy violations, and elements that could run or load something. */
  harm() {
    const able = [...document.querySelectorAll(ABLE)].map(({ outerHTML }) => outerHTML);
    const attributes = [...document.querySelectorAll("*")].flatMap((element) =>
      [...element.attributes].filter(isAble).map(({ name, value }) => `${name}="${value}"`),
    );
    return [
      ...broken.map((what) => `policy violation: ${what}`),
      ...(window.executed === undefined ? [] : ["a payload ran"]),
      ...[...able, ...attributes].map((what) => `in the page: ${what.slice(0, 200)}`),
    ];
  },
  /** Unfolds everything, and shows more of everything shortened. */
  unfold() {
    for (const fold of document.querySelectorAll("details:not([open])")) fold.setAttribute("open", "");
    for (const more of document.querySelectorAll(".text-more")) more.click();
  },
  /** All visible and accessible text. */
  text() {
    const names = ["title", "aria-label", "aria-valuetext", "placeholder"];
    const accessible = [...document.querySelectorAll("*")].flatMap((element) =>
      names.map((name) => element.getAttribute(name) ?? ""),
    );
    return [document.body.textContent, document.title, ...accessible].join("\n");
  },
};
