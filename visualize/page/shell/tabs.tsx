import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef } from "react";

export interface TabsProps<T extends string> {
  readonly label: string;
  /** The tabs, each with its key. */
  readonly tabs: readonly { readonly id: T; readonly name: string; readonly hint: string }[];
  readonly shown: T;
  readonly onShow: (id: T) => void;
  /** A control at the end of the tabs. */
  readonly end?: ReactNode;
  readonly children: ReactNode;
}

/** Tabs; arrow keys, Home and End move between them. */
export function Tabs<T extends string>({ label, tabs, shown, onShow, end, children }: TabsProps<T>) {
  const step = (event: KeyboardEvent<HTMLDivElement>): void => {
    const index = tabs.findIndex(({ id }) => id === shown);
    const to = { ArrowLeft: index - 1, ArrowRight: (index + 1) % tabs.length, Home: 0, End: -1 }[event.key];
    const next = to === undefined ? undefined : tabs.at(to);
    if (next === undefined) return;
    event.preventDefault();
    onShow(next.id);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
  };
  const panel = useId();
  const list = useRef<HTMLDivElement>(null);
  // A touch screen has the tabs in one row, which scrolls: the shown tab moves to its center.
  useLayoutEffect(() => {
    const row = list.current;
    const tab = row?.querySelector<HTMLElement>(`[data-tab="${shown}"]`);
    if (row && tab) row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
  }, [shown]);
  return (
    <section className="sb-pane" aria-label={label}>
      <div className="sb-tabs">
        <div ref={list} role="tablist" aria-label={label} onKeyDown={step} tabIndex={-1}>
          {tabs.map(({ id, name, hint }) => (
            <button
              key={id}
              type="button"
              role="tab"
              data-tab={id}
              id={`${panel}${id}`}
              aria-selected={id === shown}
              aria-controls={panel}
              tabIndex={id === shown ? 0 : -1}
              onClick={() => onShow(id)}
            >
              {name}
              <kbd>{hint}</kbd>
            </button>
          ))}
        </div>
        {end}
      </div>
      <div
        className="sb-pane-body"
        role="tabpanel"
        id={panel}
        aria-labelledby={`${panel}${shown}`}
        data-pane="tabs"
        tabIndex={-1}
      >
        {children}
      </div>
    </section>
  );
}
