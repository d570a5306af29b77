// Stands in every page of the tests of hostile tasks before the page's own scripts: it notes what is obeyed there.
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
  /** What ran, what broke the policy, and what stands in the page that could run or load something. */
  harm() {
    const able = [...document.querySelectorAll(ABLE)].map(({ outerHTML }) => outerHTML);
    const attributes = [...document.querySelectorAll("*")].flatMap((element) =>
      [...element.attributes].filter(isAble).map(({ name, value }) => `${name}="${value}"`),
    );
    return [
      ...broken.map((what) => `the policy was broken: ${what}`),
      ...(window.executed === undefined ? [] : ["a payload ran"]),
      ...[...able, ...attributes].map((what) => `in the page: ${what.slice(0, 200)}`),
    ];
  },
  /** Opens all that is folded, and asks for more of all that is cut. */
  unfold() {
    for (const fold of document.querySelectorAll("details:not([open])")) fold.setAttribute("open", "");
    for (const more of document.querySelectorAll(".text-more")) more.click();
  },
  /** All that is read and heard of the page. */
  words() {
    const heard = ["title", "aria-label", "aria-valuetext", "placeholder"];
    const said = [...document.querySelectorAll("*")].flatMap((element) =>
      heard.map((name) => element.getAttribute(name) ?? ""),
    );
    return [document.body.textContent, document.title, ...said].join("\n");
  },
};
