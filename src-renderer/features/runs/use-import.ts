import { useMutation } from '@tanstack/react-query'
import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api/client'
import { failureOf } from '../../api/failures'
import { useCommands, type Command } from '../../commands'
import { formatCount, useText } from '../../i18n'
import { go } from '../../state'
import { useToasts } from '../../ui'

/** Lets a person pick a file or a folder, or takes those that are given, makes a record of it and opens that; says what could not be read. */
export function useImport() {
  const { t } = useTranslation('runs')
  const text = useText()
  const { show } = useToasts.getState()
  return useMutation({
    mutationFn: async (what: 'file' | 'folder' | { paths: readonly string[] }) => {
      if (typeof what === 'object') return engine.runs.import({ paths: [...what.paths] })
      const { path } = await engine.host.pick({ what })
      return path === null ? null : engine.runs.import({ paths: [path] })
    },
    onSuccess: (done) => {
      if (done === null) return
      const { run, imported, problems } = done
      const [first] = problems
      const samples = { count: imported.samples, n: formatCount(imported.samples) }
      const said =
        first === undefined
          ? t('importDone', samples)
          : `${t('importPart', { ...samples, problems: problems.length })} ${text(first)}`
      const look =
        first === undefined
          ? ({ tone: 'ready', icon: CircleCheck } as const)
          : ({ tone: 'warn', icon: TriangleAlert } as const)
      show({ look, text: said })
      go({ page: 'run', id: run, tab: 'curves' })
    },
    onError: (thrown) => {
      const { what, where, remedy } = failureOf(thrown)
      const words = [text(what), where ?? '', remedy === undefined ? '' : text(remedy)]
      show({
        look: { tone: 'fail', icon: CircleX },
        text: words.filter((part) => part !== '').join(' ')
      })
    }
  })
}

/** The two ways to import, for the palette. */
export function useImportCommands(): void {
  const { t } = useTranslation('runs')
  const { mutate } = useImport()
  const commands = useMemo<Command[]>(
    () =>
      (['file', 'folder'] as const).map((what) => ({
        id: `import-${what}`,
        title: t(what === 'file' ? 'importFile' : 'importFolder'),
        group: 'list',
        run: () => mutate(what)
      })),
    [t, mutate]
  )
  useCommands(commands)
}
