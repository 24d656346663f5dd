import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CodeBlock, Segmented } from '../../ui'
import { doorwayQuery } from '../records'
import { snippetOf, tokenVariable, type SnippetLanguage } from './snippets'
import { useTalk } from './talk-store'

const languages: readonly { value: SnippetLanguage; label: string }[] = [
  { value: 'curl', label: 'curl' },
  { value: 'python', label: 'Python' },
  { value: 'typescript', label: 'TypeScript' }
]

/** The same loop in a program of one's own, with the address, header and token name of this service. */
export function CodeSide(props: { run: string; scenario: string }) {
  const { run, scenario } = props
  const { t } = useTranslation(['talk', 'common'])
  const { form } = useTalk(run)
  const [language, setLanguage] = useState<SnippetLanguage>('curl')
  const { data: door } = useQuery(doorwayQuery(run))
  if (door === undefined) return null
  const text = snippetOf(language, { door, scenario, form })
  const name = tokenVariable(door)
  const note =
    name === null
      ? t('talk:codeOpen')
      : door.tokenName === null
        ? t('talk:codeTokenLiteral')
        : t('talk:codeToken', { name })
  return (
    <>
      <div className="mb-2 font-semibold">{t('talk:codeHead')}</div>
      <Segmented
        size="small"
        label={t('talk:language')}
        value={language}
        segments={languages}
        onChange={setLanguage}
        data-testid="snippet-language"
      />
      <div className="t2 my-2">{note}</div>
      <div translate="no">
        <CodeBlock
          text={text}
          copyLabel={t('common:copy')}
          copiedLabel={t('common:copied')}
          data-testid="snippet"
        />
      </div>
    </>
  )
}
