# What is installed, and the Debian package made of it.
# SPDX-License-Identifier: BSD-3-Clause

set(LONGPOLE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/longpole)
set(LONGPOLE_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- Program and library -----------------------------------------------------------------------------------

get_target_property(LONGPOLE_LIBRARY_TYPE longpole_library TYPE)
if(LONGPOLE_LIBRARY_TYPE STREQUAL "SHARED_LIBRARY")
  file(RELATIVE_PATH LONGPOLE_LIBRARY_WAY ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(longpole PROPERTIES INSTALL_RPATH "$ORIGIN/${LONGPOLE_LIBRARY_WAY}")
endif()
install(TARGETS longpole RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS longpole_library EXPORT longpole
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# ---- CMake package: find_package(longpole), target longpole::longpole ---------------------------------------
# The static library needs OTF2, jansson and threads at link time only. CMake writes them into the exported target as
# $<LINK_ONLY:otf2> and so on; longpoleConfig.cmake makes targets of these names where the consumer has none.

install(EXPORT longpole NAMESPACE longpole:: FILE longpoleTargets.cmake DESTINATION ${LONGPOLE_CMAKE_DIR})
configure_package_config_file(cmake/longpoleConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/longpoleConfig.cmake
                              INSTALL_DESTINATION ${LONGPOLE_CMAKE_DIR}
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/longpoleConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion) # until 1.0
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/longpoleConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/longpoleConfigVersion.cmake
        DESTINATION ${LONGPOLE_CMAKE_DIR})

# ---- pkg-config ---------------------------------------------------------------------------------------------
# The prefix is told from where longpole.pc lies, so that DESTDIR and `cmake --install --prefix` need no editing.

if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(LONGPOLE_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
  set(LONGPOLE_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
  set(LONGPOLE_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  string(REGEX REPLACE "[^/]+" ".." LONGPOLE_PC_PREFIX "${LONGPOLE_PKGCONFIG_DIR}")
  set(LONGPOLE_PC_PREFIX "\${pcfiledir}/${LONGPOLE_PC_PREFIX}")
  set(LONGPOLE_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(LONGPOLE_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(cmake/longpole.pc.in ${CMAKE_CURRENT_BINARY_DIR}/longpole.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/longpole.pc DESTINATION ${LONGPOLE_PKGCONFIG_DIR})

# ---- Manual, completion, documents --------------------------------------------------------------------------

file(GLOB MANUAL_PAGES CONFIGURE_DEPENDS man/*.1)
file(GLOB DOCUMENTS CONFIGURE_DEPENDS README.md CHANGELOG.md doc/*.md)
file(GLOB EXAMPLE_INPUTS CONFIGURE_DEPENDS examples/*.json)
install(FILES ${MANUAL_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${DOCUMENTS} DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES ${EXAMPLE_INPUTS} DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
  set(ZSH_COMPLETION_FOLDER vendor-completions) # Debian keeps site-functions for /usr/local
else()
  set(ZSH_COMPLETION_FOLDER site-functions)
endif()
install(FILES completion/longpole.bash RENAME longpole
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completion/_longpole DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${ZSH_COMPLETION_FOLDER})
install(FILES completion/longpole.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# ---- Debian package -----------------------------------------------------------------------------------------

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME longpole)
set(CPACK_PACKAGE_VENDOR "longpole developers")
set(CPACK_PACKAGE_CONTACT "longpole developers <longpole@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds what bounds a parallel program")
set(CPACK_PACKAGE_DESCRIPTION
"longpole reads the trace of a parallel program (OTF2, as Score-P and other
tools write it), finds its critical path, and says for each procedure what
tuning it can gain: at most, at least, and by replaying the execution without
it. It also says where the processors' time went, who waited for whom, and
how much parallelism there is.
.
The package holds the program, its manual, and a static library with its
headers.")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libotf2-trace-dev, libjansson-dev, otf2-tools")
include(CPack)
