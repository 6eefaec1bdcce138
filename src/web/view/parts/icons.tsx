/** Pictures of the page itself, drawn with one pen. They say nothing to who cannot see them: what they stand in has a name. */
const paths = {
  menu: "M4 7h16M4 12h16M4 17h16",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm5 12 4 4",
  all: "M4 6h16M4 12h16M4 18h10",
  at: "M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0Zm0 0v1.5a2.5 2.5 0 0 0 5 0V12a9 9 0 1 0-4 7.5",
  star: "m12 4 2.5 5 5.5.8-4 3.9 1 5.5-5-2.6-5 2.6 1-5.5-4-3.9 5.5-.8Z",
  plus: "M12 5v14M5 12h14",
  close: "m6 6 12 12M18 6 6 18",
  smile: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM8.5 14.5a4.5 4.5 0 0 0 7 0M9 9.5v.5M15 9.5v.5",
  reply: "m9 7-5 5 5 5M4 12h10a6 6 0 0 1 6 6v1",
  edit: "m4 20 1-4L16 5l3 3L8 19Zm10-13 3 3",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  clip: "m8 12 5.5-5.5a3 3 0 0 1 4.5 4L11 18a5 5 0 0 1-7-7l7-7",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 7v5l3 2",
  down: "M12 5v14m-6-6 6 6 6-6",
  gear: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6Zm0-6v3m0 12v3m9-9h-3M6 12H3m15.4-6.4-2.2 2.2M7.8 16.2l-2.2 2.2m12.8 0-2.2-2.2M7.8 7.8 5.6 5.6",
  people:
    "M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7ZM3 20a6 6 0 0 1 12 0M16 5.5a3.5 3.5 0 0 1 0 6.5M18 14.5a6 6 0 0 1 3 5.5",
  bell: "M6 17V11a6 6 0 0 1 12 0v6l1.5 2h-15ZM10 21h4",
  eye: "M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6Zm9-2.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z",
  check: "m5 13 4 4L19 7",
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)

interface ButtonProps {
  readonly icon: IconName
  readonly label: string
  readonly onClick: (event: MouseEvent) => void
  readonly isOn?: boolean
  readonly class?: string
  readonly tabIndex?: number
  /** Of what it opens. */
  readonly isOpen?: boolean | undefined
}

/** A button that is only a picture, with its name for who points at it and for who cannot see it. */
export const IconButton = ({ icon, label, onClick, isOn, class: extra = "", tabIndex, isOpen }: ButtonProps) => (
  <button
    type="button"
    class={`icon-button ${extra}`}
    title={label}
    aria-label={label}
    aria-pressed={isOn}
    aria-haspopup={isOpen === undefined ? undefined : true}
    aria-expanded={isOpen}
    tabIndex={tabIndex}
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
)
