import { readFileSync } from "node:fs";

const { exports } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));

/** The API reference: `npm run docs:api` writes it from the docstrings of the package's entries to `docs/api`. */
export default {
  plugin: ["typedoc-plugin-markdown"],
  entryPoints: Object.values(exports)
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
