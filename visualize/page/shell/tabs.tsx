import type { KeyboardEvent, ReactNode } from "react";

export interface TabsProps<T extends string> {
  readonly label: string;
  /** The tabs, each with its key. */
  readonly tabs: readonly { readonly id: T; readonly name: string; readonly hint: string }[];
  readonly shown: T;
  readonly onShow: (id: T) => void;
  readonly children: ReactNode;
}

/** Tabs; arrow keys move between them. */
export function Tabs<T extends string>({ label, tabs, shown, onShow, children }: TabsProps<T>) {
  const step = (event: KeyboardEvent<HTMLDivElement>): void => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const index = tabs.findIndex(({ id }) => id === shown);
    const next = tabs[(index + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    onShow(next.id);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
  };
  return (
    <section className="sb-pane" aria-label={label}>
      <div className="sb-tabs" role="tablist" aria-label={label} onKeyDown={step} tabIndex={-1}>
        {tabs.map(({ id, name, hint }) => (
          <button
            key={id}
            type="button"
            role="tab"
            data-tab={id}
            id={`sb-tab-${id}`}
            aria-selected={id === shown}
            aria-controls="sb-tab-panel"
            tabIndex={id === shown ? 0 : -1}
            onClick={() => onShow(id)}
          >
            {name}
            <kbd>{hint}</kbd>
          </button>
        ))}
      </div>
      <div className="sb-pane-body" role="tabpanel" id="sb-tab-panel" aria-labelledby={`sb-tab-${shown}`}>
        {children}
      </div>
    </section>
  );
}
