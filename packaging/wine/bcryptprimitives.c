/* Stands in for a library of Windows that older Wine lacks, in the trial of the Windows program alone (`cargo xtask dist --check`).
 * Rust's standard library takes its random numbers from ProcessPrng. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
    return RtlGenRandom(data, (ULONG)size);
}
