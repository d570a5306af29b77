import type { Choices } from "../../../../wire/http/api.ts";
import { shortened } from "../../text/printable.ts";

export interface SwitchesProps {
  readonly choices: Choices;
  /** The slug of the mode, and the profile of the model, of the next request. */
  readonly mode: string;
  readonly profile: string;
  readonly onMode: (slug: string) => void;
  readonly onProfile: (name: string) => void;
}

/** The mode and the model of the next request, each with what it can be switched to. */
export function Switches({ choices, mode, profile, onMode, onProfile }: SwitchesProps) {
  return (
    <>
      <section className="sb-group">
        <h4>mode</h4>
        <select aria-label="Mode" value={mode} onChange={({ target }) => onMode(target.value)}>
          {choices.modes.map(({ slug, name }) => (
            <option key={slug} value={slug}>
              {shortened(name, 60)}
            </option>
          ))}
        </select>
      </section>
      <section className="sb-group">
        <h4>model</h4>
        <select aria-label="Model" value={profile} onChange={({ target }) => onProfile(target.value)}>
          {choices.profiles.map(({ name, model }) => (
            <option key={name} value={name}>
              {shortened(model === undefined || model === name ? name : `${name} (${model})`, 80)}
            </option>
          ))}
        </select>
      </section>
    </>
  );
}
