/** Forms that say what is wrong where it is: beside the field that it is about, else in a line of their own. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { faultField, faultText } from "../../live/fault-texts.ts"

interface Fault {
  readonly field: string | null
  readonly text: string
}

export interface FormFaults {
  readonly fault: Fault | null
  /** As `chat.try`: answers whether it was done. */
  readonly try: (done: Promise<unknown>) => Promise<boolean>
  readonly clear: () => void
}

/** `fields`: as the parameters of the API are called. */
export const useFaults = (...fields: ReadonlyArray<string>): FormFaults => {
  const [fault, setFault] = useState<Fault | null>(null)
  const clear = () => setFault(null)
  const attempt = async (done: Promise<unknown>): Promise<boolean> => {
    clear()
    try {
      await done
      return true
    } catch (error) {
      setFault({ field: faultField(error, fields), text: faultText(error) })
      return false
    }
  }
  return { fault, try: attempt, clear }
}

/** What is about no field. */
export const FaultLine = ({ faults: { fault } }: { readonly faults: FormFaults }) => (
  <p class="fault" role="alert">
    {fault !== null && fault.field === null && fault.text}
  </p>
)

interface FieldProps {
  readonly faults: FormFaults
  readonly name: string
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly isFixed?: boolean
  readonly isRequired?: boolean
  /** The label is only said, and stands in the empty field. */
  readonly isBare?: boolean
  readonly hint?: string
  readonly maxLength?: number | undefined
}

export const Field = ({ faults, name, label, value, onChange, isFixed, isRequired, isBare, ...more }: FieldProps) => {
  const place = useRef<HTMLInputElement>(null)
  const fault = faults.fault?.field === name ? faults.fault : null
  const id = `fault-${name}`
  useLayoutEffect(() => {
    if (fault !== null) place.current?.focus()
  }, [fault])
  return (
    <div class="field grow">
      <label>
        {isBare !== true && <span>{label}</span>}
        <input
          ref={place}
          required={isRequired}
          disabled={isFixed}
          maxLength={more.maxLength}
          placeholder={isBare === true ? label : more.hint}
          aria-label={isBare === true ? label : undefined}
          aria-invalid={fault !== null}
          aria-describedby={fault === null ? undefined : id}
          value={value}
          onInput={(event) => {
            if (fault !== null) faults.clear()
            onChange(event.currentTarget.value)
          }}
        />
      </label>
      {fault !== null && (
        <p class="fault" id={id}>
          {fault.text}
        </p>
      )}
    </div>
  )
}
