import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadSettings, SettingsError } from "../../settings/index.ts";

/** The user's folder and a project, with these files. */
export interface SettingFolders {
  readonly configDir: string;
  readonly workspace: string;
  readonly root: string;
  writeUser(text: string, name?: string): string;
  writeProject(text: string, name?: string): string;
  load(options?: Partial<Parameters<typeof loadSettings>[0]>): ReturnType<typeof loadSettings>;
  remove(): void;
}

export function settingFolders(): SettingFolders {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "settings-")));
  const configDir = path.join(root, "config", "signalbox");
  const workspace = path.join(root, "project");
  for (const folder of [configDir, path.join(workspace, ".signalbox"), path.join(workspace, ".roo")])
    mkdirSync(folder, { recursive: true });
  const write = (file: string, text: string): string => {
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  return {
    root,
    configDir,
    workspace,
    writeUser: (text, name = "settings.yaml") => write(path.join(configDir, name), text),
    writeProject: (text, name = ".signalbox/settings.yaml") => write(path.join(workspace, name), text),
    load: (options = {}) => loadSettings({ configDir, workspace, env: {}, ...options }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** `CODE MESSAGE` of the SettingsError that a promise is rejected with. */
export async function problemOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.catch((cause: unknown) => cause);
  return error instanceof SettingsError
    ? `${error.code} ${error.message}`
    : `no SettingsError: ${String(error)}`;
}
