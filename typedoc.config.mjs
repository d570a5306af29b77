import { readFileSync } from "node:fs";

/** The packages that are imported. Their declarations have the paths of the sources. */
const PACKAGES = ["package.json", "visualize/package.json"];
const entries = PACKAGES.flatMap((file) =>
  Object.values(JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")).exports),
);

/** The API reference: `npm run docs:api` writes it from the docstrings of the package's entries to `docs/api`. */
export default {
  plugin: ["typedoc-plugin-markdown"],
  entryPoints: entries
    .filter((target) => target.types !== undefined)
    .map(({ types }) => types.replace("./dist/", "").replace(".d.ts", ".ts")),
  tsconfig: "tsconfig.json",
  skipErrorChecking: true,
  out: "docs/api",
  entryFileName: "index",
  hidePageHeader: true,
  readme: "none",
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  disableSources: true,
  hideBreadcrumbs: true,
  validation: { invalidLink: true, notExported: false, notDocumented: false },
};
