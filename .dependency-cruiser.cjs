/** The floors of the repository: each folder may import only what lies below it. */
const floors = {
  "machines/list": [],
  "machines/message": ["machines/list"],
  "machines/conversation": ["machines/list"],
  "machines/tool-call": ["machines/message", "machines/conversation"],
  "machines/judge": ["machines/tool-call"],
  "machines/ownership": [],
  "machines/task": [
    "machines/list",
    "machines/message",
    "machines/conversation",
    "machines/tool-call",
    "machines/judge",
  ],
  wire: ["machines"],
  ports: ["machines"],
  control: ["machines"],
  present: ["machines", "wire"],
  "verify/monitor": ["machines"],
  verify: ["machines", "control", "verify/monitor"],
  tools: ["machines", "wire", "ports"],
  "tools/temporal": ["machines", "wire", "tools"],
  actors: ["machines", "wire", "ports", "control", "tools"],
  store: ["machines", "wire", "ports", "actors"],
  "store/files": [],
  adapters: ["machines", "wire", "ports", "control", "tools", "actors", "store/files"],
  settings: ["machines", "wire", "ports", "tools", "tools/temporal", "actors", "adapters", "store/files"],
  runtime: [
    "machines",
    "wire",
    "ports",
    "present",
    "control",
    "tools",
    "tools/temporal",
    "actors",
    "store",
    "adapters",
  ],
  client: ["machines", "wire", "ports", "present", "tools", "actors", "store", "runtime"],
  "client/telemetry": ["machines", "ports", "tools", "actors", "store", "runtime"],
  "client/react": ["machines", "wire", "present", "runtime", "client"],
  "visualize/trace": ["machines", "wire", "actors", "runtime"],
  visualize: ["machines", "wire", "present", "visualize/trace", "verify/monitor"],
  server: [
    "machines",
    "wire",
    "ports",
    "visualize/trace",
    "tools",
    "actors",
    "store",
    "runtime",
    "visualize",
  ],
  cluster: ["machines", "wire", "ports", "actors", "store", "runtime"],
  "testing/mock": [],
  testing: ["machines", "wire", "ports", "tools", "actors", "store", "runtime", "client", "testing/mock"],
  cli: [
    "machines",
    "wire",
    "ports",
    "present",
    "visualize/trace",
    "tools",
    "tools/temporal",
    "actors",
    "store",
    "adapters",
    "settings",
    "runtime",
    "client",
    "visualize",
    "server",
    "cluster",
    "control",
    "verify",
    "verify/monitor",
    "testing",
  ],
};
/**
 * Folders that are apart from the folder they are in: to import them, a floor must list them, and they import the other
 * folder only if they list it.
 */
const apart = ["tools/temporal", "client/telemetry", "client/react", "visualize/trace", "verify/monitor"];
/** Each error of the package extends the class in it. */
const BASE_ERROR = "machines/signalbox-error\\.ts$";
const alternatives = (names) => names.join("|");
const tops = alternatives([...new Set(Object.keys(floors).map((floor) => floor.split("/")[0]))]);

/** The pattern of the files in a folder, without the folders in it that are apart. */
function inside(folder) {
  const without = apart.filter((each) => each.startsWith(`${folder}/`)).map((each) => `${each}/`);
  return without.length === 0 ? `${folder}/` : `(?!${alternatives(without)})${folder}/`;
}

module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    ...Object.entries(floors).map(([floor, below]) => ({
      name: `floor-${floor}`,
      severity: "error",
      from: { path: `^${inside(floor)}` },
      to: {
        path: `^(${tops}|test|bench|examples)/`,
        pathNot: `^(${alternatives([floor, ...below].map(inside))})|^${BASE_ERROR}`,
      },
    })),
    {
      name: "machines-import-only-xstate",
      severity: "error",
      from: { path: "^machines/" },
      to: { dependencyTypes: ["npm", "npm-dev", "core"], pathNot: "node_modules/xstate" },
    },
    {
      name: "entries-are-for-users",
      comment: "An index.ts is an entry of the package. The source imports the file that declares a name.",
      severity: "error",
      // The workers are a package of their own, which imports signalbox as users do.
      from: { path: `^(${tops})/`, pathNot: "^cluster/" },
      to: { path: "(^|/)index\\.ts$" },
    },
    {
      name: "browser-folders-import-no-node",
      severity: "error",
      from: {
        path: "^(machines|wire|control|present|client/react|verify|visualize)/",
        pathNot: "vite\\.config\\.ts$",
      },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "server-imports-no-page",
      comment: "The server serves charts and traces, and writes pages in one file.",
      severity: "error",
      from: { path: "^server/" },
      to: { path: "^visualize/(?!chart/|share/|trace/)" },
    },
    {
      name: "only-postgres-imports-pg",
      severity: "error",
      from: { pathNot: "^(store/postgres|test|bench)/" },
      to: { path: "node_modules/(@types/)?pg/" },
    },
    { name: "nobody-imports-tests", severity: "error", from: { pathNot: "^test/" }, to: { path: "^test/" } },
    {
      name: "no-dev-dependency-at-runtime",
      severity: "error",
      // The command and the page are bundled: what they are made of is not needed to run them.
      from: { pathNot: "^(test|bench|examples|visualize/page|cli)/|^vitest.config.ts$" },
      // An optional peer is installed here for the tests.
      to: {
        dependencyTypes: ["npm-dev"],
        dependencyTypesNot: ["npm-peer"],
        pathNot: "node_modules/@types/",
      },
    },
    { name: "nothing-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "no-orphans",
      severity: "error",
      from: {
        orphan: true,
        pathNot:
          "(\\.d\\.ts|\\.cjs|^vitest.config.ts|^visualize/page/(vite.config|text/character-reference).ts|^examples/.*|^test/.*|^cli/control/settings/.*)$",
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)dist/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "types", "node", "default"],
    },
  },
};
