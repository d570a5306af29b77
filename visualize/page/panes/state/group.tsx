import type { ReactNode } from "react";

/** A list of pills, or the text `none` if it is empty. */
export function Group({
  name,
  none = "none",
  pills,
}: Readonly<{ name: string; none?: string; pills: ReactNode[] }>) {
  return (
    <section className="sb-group">
      <h4>{name}</h4>
      {pills.length === 0 ? (
        <span className="sb-empty">{none}</span>
      ) : (
        <div className="sb-pills">{pills}</div>
      )}
    </section>
  );
}
