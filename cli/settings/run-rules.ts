import path from "node:path";
import type { PermissionLevel, PermissionMode, SessionRule } from "../../machines/tool-call/permissions.ts";
import type { SettingsChange } from "../../settings/file-edit.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { addRule, removeRule } from "../../settings/rule-edit.ts";
import { PROJECT_FILES, trust, withProjectFile } from "../../settings/trust.ts";
import type { Policy, PolicyCall, PolicyFacts } from "../../tools/policy/policy.ts";
import { CliError } from "../error.ts";
import type { ListedRule, RunRules } from "../run/settings.ts";
import { withSettingsErrors } from "./load.ts";
import { type RunPermissions, runPermissions } from "./policy.ts";

const [PROJECT_SETTINGS] = PROJECT_FILES;
const LEVELS: readonly PermissionLevel[] = ["allow", "ask", "deny"];

export interface RunRulesOptions {
  /** Read the settings again. */
  readonly load: () => Promise<LoadedSettings>;
  readonly configDir: string;
  /** Whether the user asked to see every call. */
  readonly asksAlways: boolean;
}

/** The rules of the settings of a run. A change of the project's file is read again, and judges calls from then on. */
export class SettingsRules implements RunRules {
  readonly policy: Policy = Object.assign(
    (call: PolicyCall, facts: PolicyFacts) => this.#permissions.policy(call, facts),
    { explain: (call: PolicyCall, facts: PolicyFacts) => this.#permissions.policy.explain(call, facts) },
  );
  readonly #options: RunRulesOptions;
  #loaded: LoadedSettings;
  #permissions: RunPermissions;

  constructor(loaded: LoadedSettings, options: RunRulesOptions) {
    this.#options = options;
    this.#loaded = loaded;
    this.#permissions = runPermissions(loaded, options.asksAlways);
  }

  /** The permission mode in which a task begins. */
  get permissionMode(): PermissionMode {
    return this.#permissions.mode;
  }

  get isAlwaysOffered(): boolean {
    return !this.#options.asksAlways;
  }

  get list(): readonly ListedRule[] {
    const ofProject = new Set(
      this.#loaded.entries.flatMap(({ source, origin }) => (source === "project" ? origin : [])),
    );
    return this.#permissions.sources.flatMap((source) =>
      LEVELS.flatMap((level) =>
        (source[level] ?? []).map((rule) => ({
          level,
          rule: rule.trim(),
          origin: source.origin,
          isOfProject: ofProject.has(source.origin),
        })),
      ),
    );
  }

  async addToProject({ level, rule }: SessionRule): Promise<void> {
    const isTrusted = await this.#change((file, project) => {
      if (!project.isTrusted)
        throw new CliError(
          `the settings of ${project.folder} are not trusted, so a rule in them would not allow anything. Trust them first: signalbox config trust`,
        );
      return addRule(file, level, rule);
    });
    if (!isTrusted)
      throw new CliError(
        `the rule was added to ${PROJECT_SETTINGS}, which another program changed at the same time. Look at the file, and trust it: signalbox config trust`,
      );
  }

  async removeFromProject({ level, rule }: SessionRule): Promise<void> {
    await this.#change((file) => removeRule(file, level, rule));
  }

  /** Change the file, trust the change if the project was trusted before, and read the settings again. */
  #change(edit: (file: string, project: Project) => Promise<SettingsChange>): Promise<boolean> {
    return withSettingsErrors(async () => {
      const { load, configDir, asksAlways } = this.#options;
      const { project } = await load();
      if (project === undefined) throw new CliError("the workspace no longer exists.");
      const { before, after } = await edit(path.join(project.folder, PROJECT_SETTINGS), project);
      // Only what was trusted, and this change, is trusted: never what another program has written since.
      if (project.isTrusted && after !== undefined && before === project.texts[PROJECT_SETTINGS])
        await trust(withProjectFile(project, PROJECT_SETTINGS, after), configDir);
      this.#loaded = await load();
      this.#permissions = runPermissions(this.#loaded, asksAlways);
      return this.#loaded.project?.isTrusted === true;
    });
  }
}

type Project = NonNullable<LoadedSettings["project"]>;
