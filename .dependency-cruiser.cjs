/** The floors of the repository: each folder may import only what lies below it, and only through its door. */
const floors = {
  "machines/list": [],
  "machines/message": ["machines/list"],
  "machines/conversation": ["machines/list"],
  "machines/tool-call": ["machines/conversation"],
  "machines/task": ["machines/list", "machines/message", "machines/conversation", "machines/tool-call"],
  wire: ["machines"],
  mock: [],
  tools: ["machines", "wire"],
  actors: ["machines", "wire", "tools"],
  verify: ["machines"],
  trace: ["machines", "wire"],
  client: ["machines", "wire", "tools", "actors"],
  visualize: ["machines", "wire", "trace", "tools", "actors", "client"],
  server: ["machines", "wire", "trace", "tools", "actors", "client", "visualize"],
  cli: ["machines", "wire", "trace", "tools", "actors", "client", "visualize", "server", "verify", "mock"],
};
const alternatives = (names) => names.join("|");

module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    ...Object.entries(floors).map(([floor, below]) => ({
      name: `floor-${floor}`,
      severity: "error",
      from: { path: `^${floor}/` },
      to: {
        path: "^(machines|wire|trace|mock|tools|actors|verify|client|visualize|server|cli|test|bench|examples)/",
        pathNot: `^(${alternatives([floor, ...below])})/`,
      },
    })),
    {
      name: "machines-import-only-xstate",
      severity: "error",
      from: { path: "^machines/" },
      to: { dependencyTypes: ["npm", "npm-dev", "core"], pathNot: "node_modules/xstate" },
    },
    {
      name: "machines-by-the-door",
      severity: "error",
      from: { path: "^(?!machines/|test/)" },
      to: { path: "^machines/[^/]+/(?!index\\.ts$)" },
    },
    {
      name: "machine-folders-by-the-door",
      severity: "error",
      from: { path: "^machines/([^/]+)/" },
      to: { path: "^machines/[^/]+/(?!index\\.ts$)", pathNot: "^machines/$1/" },
    },
    {
      name: "actor-folders-by-the-door",
      severity: "error",
      from: { path: "^actors/([^/]+)/" },
      to: { path: "^actors/[^/]+/(?!index\\.ts$)", pathNot: "^actors/$1/" },
    },
    {
      name: "folders-by-the-door",
      severity: "error",
      from: { path: "^(wire|trace|tools|actors|client|mock|verify|visualize|server|cli)/" },
      to: {
        path: "^(wire|trace|tools|actors|client|mock|verify|visualize|server|cli)/(?!index\\.ts$)",
        pathNot: "^$1/",
      },
    },
    { name: "nobody-imports-tests", severity: "error", from: { pathNot: "^test/" }, to: { path: "^test/" } },
    {
      name: "no-dev-dependency-at-runtime",
      severity: "error",
      // The page is bundled: what it is made of is not needed to run it.
      from: { pathNot: "^(test|bench|examples|visualize/page)/|^vitest.config.ts$" },
      to: { dependencyTypes: ["npm-dev"], pathNot: "node_modules/@types/" },
    },
    { name: "nothing-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "no-orphans",
      severity: "error",
      from: { orphan: true, pathNot: "(\\.d\\.ts|\\.cjs|^vitest.config.ts|^examples/.*|^test/.*)$" },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^dist/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "types", "node", "default"],
    },
  },
};
