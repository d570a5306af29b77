import path from "node:path";

/** A folder in which an agent keeps its sessions. */
export interface AgentFolder {
  readonly agent: string;
  readonly folder: string;
}

/** The facts of a machine that decide where agents keep their sessions. */
export interface Machine {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const EDITORS = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];
const EXTENSIONS = [
  { agent: "Roo Code", id: "rooveterinaryinc.roo-cline" },
  { agent: "Cline", id: "saoudrizwan.claude-dev" },
];

/** The usual folders of the known agents. They may not exist. */
export function agentFolders({ home, platform, env }: Machine): readonly AgentFolder[] {
  const claude = env.CLAUDE_CONFIG_DIR || path.join(home, ".claude");
  const codex = env.CODEX_HOME || path.join(home, ".codex");
  const settings = settingsFolder({ home, platform, env });
  const storages = [
    ...EDITORS.map((editor) => path.join(settings, editor)),
    path.join(home, ".vscode-server/data"),
  ].map((editor) => path.join(editor, "User/globalStorage"));
  return [
    { agent: "Claude Code", folder: path.join(claude, "projects") },
    { agent: "Codex", folder: path.join(codex, "sessions") },
    { agent: "Codex", folder: path.join(codex, "archived_sessions") },
    { agent: "pi", folder: path.join(home, ".pi/agent/sessions") },
    ...EXTENSIONS.flatMap(({ agent, id }) =>
      storages.map((storage) => ({ agent, folder: path.join(storage, id, "tasks") })),
    ),
    { agent: "Cline", folder: path.join(home, ".cline/data/tasks") },
  ];
}

/** The folder of the settings of editors. */
function settingsFolder({ home, platform, env }: Machine): string {
  if (platform === "darwin") return path.join(home, "Library/Application Support");
  if (platform === "win32") return env.APPDATA || path.join(home, "AppData/Roaming");
  return env.XDG_CONFIG_HOME || path.join(home, ".config");
}
