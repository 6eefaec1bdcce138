/** What may be meant, while one types. */
import type { CompletionOffer } from "../../state/completion.ts"
import { words } from "../../words/words.ts"

interface Props {
  readonly offers: ReadonlyArray<CompletionOffer>
  readonly picked: number
  readonly onPick: (offer: CompletionOffer) => void
}

export const CompletionList = ({ offers, picked, onPick }: Props) => (
  <div class="popup offers" id="offers" role="listbox" aria-label={words.offers} tabIndex={-1}>
    {offers.map((offer, n) => (
      <div
        key={offer.key}
        id={`offer-${n}`}
        class="offer"
        role="option"
        tabIndex={-1}
        aria-selected={n === picked}
        onPointerDown={(event) => {
          event.preventDefault()
          onPick(offer)
        }}
      >
        {offer.url !== undefined && <img class="emoji" src={offer.url} alt="" />}
        {offer.glyph !== "" && <span aria-hidden="true">{offer.glyph}</span>}
        <span class="name">{offer.label}</span>
        <span class="quiet">{offer.hint}</span>
      </div>
    ))}
  </div>
)
