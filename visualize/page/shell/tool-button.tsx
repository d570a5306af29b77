/** Icons of the tools as paths: not every font has them. */
const ICONS = {
  first: "M3 3v10M13 3.5 L6 8 L13 12.5Z",
  backState: "M8 3.5 L1.5 8 L8 12.5ZM14.5 3.5 L8 8 L14.5 12.5Z",
  back: "M11 3.5 L4.5 8 L11 12.5Z",
  play: "M4 2.5 L13 8 L4 13.5Z",
  pause: "M4 3h3v10H4ZM9.5 3h3v10h-3Z",
  next: "M5 3.5 L11.5 8 L5 12.5Z",
  nextState: "M1.5 3.5 L8 8 L1.5 12.5ZM8 3.5 L14.5 8 L8 12.5Z",
} as const;

type IconName = keyof typeof ICONS;

export function ToolIcon({ of }: { readonly of: IconName }) {
  return (
    <svg className="sb-tool-icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d={ICONS[of]} />
    </svg>
  );
}

/** A button with an icon and a name. */
export function Tool({
  name,
  icon,
  onClick,
}: Readonly<{ name: string; icon: IconName; onClick: () => void }>) {
  return (
    <button type="button" className="sb-tool" title={name} aria-label={name} onClick={onClick}>
      <ToolIcon of={icon} />
    </button>
  );
}
