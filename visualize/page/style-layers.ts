import type { Plugin, Rule } from "postcss";

/** The layers of the style, the weakest first. Rules of an embedding page, which have no layer, are stronger than all. */
const LAYERS = ["signalbox.tokens", "signalbox.shell", "signalbox.panes"] as const;

/** The layers of files; the others are of panes. A file without a layer is no part of an embedded debugger. */
const LAYER_OF: ReadonlyMap<string, (typeof LAYERS)[number] | undefined> = new Map([
  ["style/page.css", undefined],
  ["style/tokens.css", "signalbox.tokens"],
  ["style/shell.css", "signalbox.shell"],
  ["style/suite.css", "signalbox.shell"],
  ["style/tasks.css", "signalbox.shell"],
  ["style/timeline.css", "signalbox.shell"],
]);

const layerOf = (file: string) => (LAYER_OF.has(file) ? LAYER_OF.get(file) : "signalbox.panes");

/**
 * A step of the build. It puts each rule into the layer of its file, limits it to what is below `.signalbox`, and gives each
 * token `--NAME` the value of `--sb-NAME` where an embedding page sets it. The specificity of rules stays.
 *
 * @param folder the folder of the page, with `/` at its end
 * @throws CssSyntaxError for a selector with `.signalbox` elsewhere than at its start
 */
export const styleLayers = (folder: string): Plugin => ({
  postcssPlugin: "style-layers",
  Once(root, { AtRule }) {
    const nodes = [...root.nodes];
    root.removeAll();
    root.append(new AtRule({ name: "layer", params: LAYERS.join(", ") }));
    for (const node of nodes) {
      const file = node.source?.input.file?.slice(folder.length) ?? "";
      const layer = layerOf(file);
      const last = root.last;
      if (layer === undefined) root.append(node);
      else if (last?.type === "atrule" && last.params === layer) last.append(node);
      else root.append(new AtRule({ name: "layer", params: layer, nodes: [node] }));
    }
    root.walkAtRules("layer", (layer) => {
      layer.walkRules(limit);
      if (layer.params === "signalbox.tokens")
        layer.walkDecls(/^--/, (token) => {
          if (isOfRoot(token.parent)) token.value = `var(--sb-${token.prop.slice(2)}, ${token.value})`;
        });
    });
  },
});

const isOfRoot = (parent: object | undefined): boolean =>
  parent !== undefined && "selector" in parent && parent.selector === ".signalbox";

/** The start of a selector that matches only within the debugger. */
const LIMITED = /^(?:\.signalbox|:where\(\.signalbox\))(?![\w-])/;

function limit(rule: Rule): void {
  const { parent } = rule;
  // A nested rule is limited by its parent, and keyframes have no selectors.
  if (
    parent?.type === "rule" ||
    (parent?.type === "atrule" && "name" in parent && parent.name === "keyframes")
  )
    return;
  rule.selectors = rule.selectors.map((selector) => {
    if (LIMITED.test(selector)) return selector;
    if (selector.includes(".signalbox"))
      throw rule.error(`Expected a selector with .signalbox at its start, got ${selector}.`);
    return `:where(.signalbox) ${selector}`;
  });
}
