# Run by cpack after installing into its folder and before packing it.

set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
set(doc ${share}/doc/berth)

# The changelog in Debian's form, and a reference to the licence, which every Debian system has.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${doc}/changelog "berth (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Built from the sources by cpack; their CHANGELOG.md tells what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(REMOVE ${doc}/LICENSE)
file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: berth

Files: *
Copyright: 2026 the maintainers of berth
License: Apache-2.0
 On Debian systems, the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")
file(GLOB pages ${share}/man/man1/*.1)
foreach(file IN LISTS pages ITEMS ${doc}/changelog)
    # gzip stores no name and no time, so that the same files make the same package.
    execute_process(COMMAND gzip -9 -n ${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# The package must not depend on the umask of the user who made it.
file(GLOB_RECURSE entries LIST_DIRECTORIES true ${CPACK_TEMPORARY_DIRECTORY}/usr/*)
foreach(entry IN LISTS entries)
    if(IS_DIRECTORY ${entry} OR entry STREQUAL "${CPACK_TEMPORARY_DIRECTORY}/usr/bin/berth")
        file(CHMOD ${entry} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
            GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    endif()
endforeach()
